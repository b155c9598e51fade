//! A fold in a Claude Code session: a boundary, the summary behind it, and the lines that stay named in the boundary.

use super::super::native::{appended, copied, mark, members_by_line, newest, not_sayable, uuid, NativeFold};
use super::super::{Session, SkipCode};
use crate::error::Result;
use crate::json::quote;
use crate::order::sort_by_key;

/// What lines of one session have in common.
const COMMON: [&str; 6] = ["sessionId", "cwd", "version", "gitBranch", "userType", "timestamp"];

pub(super) fn fold(bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
    let leaf = session.leaf.as_deref().filter(|leaf| !leaf.starts_with("line-"));
    let leaf = leaf.ok_or_else(|| not_sayable("the session has no line with a uuid that a fold could follow"))?;
    if !session.branches.iter().any(|branch| branch.active && branch.id == leaf) {
        let what =
            "Claude Code goes on with the newest line, which is of another branch; fold that one, or leave out native";
        return Err(not_sayable(what));
    }
    let stays = staying(bytes, session, fold)?;
    let last = newest(bytes, |record| record.get_str("uuid").is_some_and(|uuid| uuid.is_str(leaf)));
    // A subagent's lines say so, and whose they are; what is not of its side would be another conversation.
    let side = last.map(|record| copied(record, &["isSidechain", "agentId"])).unwrap_or_default();
    let common = last.map(|record| copied(record, &COMMON)).unwrap_or_default() + &side;
    let (boundary, summary) = (uuid(bytes, "boundary"), uuid(bytes, "summary"));
    let preserved: Vec<String> = stays.iter().map(|uuid| quote(uuid)).collect();
    let metadata = format!(
        r#"{{"trigger":"manual","preTokens":{},"postTokens":{},"preservedMessages":{{"anchorUuid":"{summary}","uuids":[{}]}},{}}}"#,
        fold.tokens_before,
        fold.tokens_after,
        preserved.join(","),
        mark(bytes, 2)
    );
    let first = format!(
        r#"{{"parentUuid":null,"logicalParentUuid":{},"type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"level":"info","compactMetadata":{metadata},"uuid":"{boundary}"{common}}}"#,
        quote(leaf)
    );
    let second = format!(
        r#"{{"parentUuid":"{boundary}","type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{},"uuid":"{summary}"{common}}}"#,
        fold.digest[0]
    );
    Ok(appended(bytes, &[first, second]))
}

/// The uuids of the lines that stay. Claude Code chains them one behind the other, so that a line between them that is no message
/// (an attachment, a note) is named as well, or it would drop out.
fn staying(bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<String>> {
    let mut uuids = members_by_line(bytes, "uuid");
    let messages = fold.staying(session);
    let lines: Vec<u32> = messages.iter().flat_map(|message| message.lines.iter().copied()).collect();
    let mut stays = Vec::with_capacity(lines.len());
    for line in &lines {
        let uuid = uuids.remove(line);
        stays.push((
            *line,
            uuid.ok_or_else(|| not_sayable("lines that stay have no uuid, by which a boundary could name them"))?,
        ));
    }
    let tail = session.messages.get(fold.kept_from as usize).and_then(|first| first.lines.first().copied());
    let boundary = session.folds.last().map_or(0, |fold| fold.line);
    let beside = [SkipCode::Attachment, SkipCode::SystemNote, SkipCode::Progress, SkipCode::UnknownType];
    let between = session.skipped.iter().filter(|skipped| beside.contains(&skipped.code));
    let behind = between.filter(|skipped| tail.is_some_and(|tail| skipped.line > tail.max(boundary)));
    stays.extend(behind.filter_map(|skipped| Some((skipped.line, uuids.remove(&skipped.line)?))));
    // In the order of the file; results that came beside their call stand where they are written.
    sort_by_key(&mut stays, |(line, _)| *line);
    Ok(stays.into_iter().map(|(_, uuid)| uuid).collect())
}
