// A window as a transcript of the core: its contents cross once, and every plan after that costs next to nothing.

import { Transcript } from "plica/slim";
import type { Session } from "plica/slim";
import type { Timeline } from "./timeline.js";

/** What a transcript is made of. */
export interface Parts {
  session: Session;
  timeline: Timeline;
  provenance: (item: number) => Session["provenance"][number] | undefined;
}

/** Messages that cross at once, so that progress can be told in between. */
const AT_ONCE = 4_000;

/** A transcript of these items. `tell` is told how many have been read. */
export function transcriptOf({ session, timeline, provenance }: Parts, items: Uint32Array, tell: (read: number) => void = () => undefined): Transcript {
  const transcript = new Transcript({ format: session.messageFormat, provenance: (_, index) => provenance(items[index]!) });
  for (let from = 0; from < items.length; from += AT_ONCE) {
    tell(from);
    transcript.append(Array.from(items.subarray(from, from + AT_ONCE), (item) => timeline.messages[item]!));
  }
  return transcript;
}
