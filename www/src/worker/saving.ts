// Files to save: the folded conversation, its ledger, the request to a model; and the proof that folding loses nothing.

import { PlicaError, foldSession, summarizeSession, unfoldSession } from "plica/slim";
import type { FoldSessionOptions, FoldedSession } from "plica/slim";
import type { SaveKind, Saved, Settings } from "../protocol.js";
import { bytesOf } from "./file.js";
import type { Conversation } from "./opening.js";
import type { Planner } from "./planning.js";

interface Folded {
  conversation: string;
  ledger: string;
}

export class Saver {
  private last: { key: string; folded: FoldedSession } | undefined;

  constructor(private readonly conversation: Conversation, private readonly planner: Planner) {}

  async save(kind: SaveKind, settings: Settings): Promise<Saved> {
    if (kind === "request") return this.request(settings);
    const folded = await this.fold(settings);
    const text = kind === "ledger" ? folded.ledger : folded.conversation;
    return this.saved(kind === "ledger" ? ".ledger.json" : ".folded.json", "application/json", text);
  }

  /** What comes back is compared with the file; of a conversation that was folded before, with what it unfolds to. */
  async prove(settings: Settings): Promise<{ exact: boolean; messages: number; bytes: number }> {
    const { conversation, ledger } = await this.fold(settings);
    const { bytes, messages } = unfoldSession(conversation, ledger);
    const file = await this.bytes();
    const before = await this.ledger();
    const wanted = before === undefined ? file : unfoldSession(file, before).bytes;
    return { exact: equal(bytes, wanted), messages, bytes: bytes.length };
  }

  private async request(settings: Settings): Promise<Saved> {
    const request = summarizeSession(await this.bytes(), await this.options(settings));
    if (request === undefined) throw this.nothingFolds(settings);
    return this.saved(".request.txt", "text/plain", `${request.system}\n\n${request.prompt}`);
  }

  private async fold(settings: Settings): Promise<Folded> {
    const key = JSON.stringify(settings);
    if (this.last?.key !== key) {
      const folded = foldSession(await this.bytes(), await this.options(settings));
      this.last = { key, folded };
    }
    const { conversation, ledger, report } = this.last.folded;
    if (conversation === null || ledger === null) throw this.nothingFolds(settings, report.reason);
    return { conversation, ledger };
  }

  private nothingFolds(settings: Settings, reason?: string | null): PlicaError {
    const made = this.conversation.session.messages.length === 0 ? undefined : this.planner.planAt(this.now(), settings);
    const why = reason ?? (made?.kind === "none" ? made.reason : null);
    return new PlicaError("nothing-to-fold", `With these settings nothing folds${why === null ? "" : ` (${why})`}, so there is nothing to save.`);
  }

  private now(): number {
    return this.conversation.timeline.messages.length - 1;
  }

  private async options(settings: Settings): Promise<FoldSessionOptions> {
    if (this.conversation.session.messages.length === 0) throw this.nothingFolds(settings);
    this.refuseKeptSystem(settings);
    const { tailBudget, keepTurns, anchorTask, anchorRequest } = settings;
    const { branch } = this.conversation;
    const ledger = await this.ledger();
    return { tailBudget, keepTurns, anchorTask, anchorRequest, ...(branch === null ? {} : { branch }), ...(ledger === undefined ? {} : { ledger }) };
  }

  /** Folding a file knows no such option: where it would make a difference, what is saved would not be what was shown. */
  private refuseKeptSystem(settings: Settings): void {
    if (!settings.keepSystem) return;
    const [shown, saved] = [settings, { ...settings, keepSystem: false }].map((of) => this.planner.planAt(this.now(), of));
    if (JSON.stringify(shown) === JSON.stringify(saved)) return;
    throw new PlicaError("bad-argument", "A file cannot be saved with system messages kept from the middle: turn that setting off to save.");
  }

  private bytes(): Promise<Uint8Array> {
    return bytesOf(this.conversation.file, () => {});
  }

  private async ledger(): Promise<Uint8Array | undefined> {
    const { ledger } = this.conversation;
    return ledger && bytesOf(ledger, () => {});
  }

  private saved(ending: string, type: string, text: string): Saved {
    return { name: `${baseName(this.conversation.name)}${ending}`, type, bytes: new TextEncoder().encode(text) };
  }
}

/** The name of a file without its folders and its ending, nor that of an earlier fold. */
function baseName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  return last.replace(/(?<=.)\.[^.]*$/, "").replace(/(?<=.)\.folded$/, "") || "conversation";
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
