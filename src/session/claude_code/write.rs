//! A fold in a Claude Code session: a boundary, the summary behind it, and the lines that stay named in the boundary.

use super::super::native::{appended, copied, mark, members_by_line, newest, not_sayable, uuid, NativeFold};
use super::super::Session;
use crate::error::Result;
use crate::json::quote;

/// What lines of one session have in common.
const COMMON: [&str; 6] = ["sessionId", "cwd", "version", "gitBranch", "userType", "timestamp"];

pub(super) fn fold(bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
    let leaf = session.branches.iter().find(|branch| branch.active);
    let leaf = leaf.ok_or_else(|| not_sayable("the session has no line that a fold could follow"))?;
    let uuids = members_by_line(bytes, "uuid");
    let lines = fold.staying(session).into_iter().flat_map(|message| &message.lines);
    let stays: Option<Vec<&String>> = lines.map(|line| uuids.get(line)).collect();
    let stays =
        stays.ok_or_else(|| not_sayable("lines that stay have no uuid, by which a boundary could name them"))?;
    let last = newest(bytes, |record| record.get_str("uuid").is_some_and(|uuid| uuid.is_str(&leaf.id)));
    let common = last.map(|record| copied(record, &COMMON)).unwrap_or_default();
    let (boundary, summary) = (uuid(bytes, "boundary"), uuid(bytes, "summary"));
    let preserved: Vec<String> = stays.into_iter().map(|uuid| quote(uuid)).collect();
    let metadata = format!(
        r#"{{"trigger":"manual","preTokens":{},"postTokens":{},"preservedMessages":{{"anchorUuid":"{summary}","uuids":[{}]}},{}}}"#,
        fold.tokens_before,
        fold.tokens_after,
        preserved.join(","),
        mark(bytes, 2)
    );
    let first = format!(
        r#"{{"parentUuid":null,"logicalParentUuid":{},"isSidechain":false,"type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"level":"info","compactMetadata":{metadata},"uuid":"{boundary}"{common}}}"#,
        quote(&leaf.id)
    );
    let second = format!(
        r#"{{"parentUuid":"{boundary}","isSidechain":false,"type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{},"uuid":"{summary}"{common}}}"#,
        fold.digest[0]
    );
    Ok(appended(bytes, &[first, second]))
}
