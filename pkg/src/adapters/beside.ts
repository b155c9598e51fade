// What is sent beside the messages: system text, and the schemas of tools. A transcript knows of it when the provider has counted a request.

import { PlicaError, estimate } from "plica";
import { isArray, memberOf } from "./checks.js";

/** What texts cost that are sent beside the messages, in tokens. */
export function tokensOf(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : estimate(texts.map((content) => ({ role: "system", content })), { format: "ai-sdk" }).total;
}

/** What tools are sent as. Those that are found by a search are not sent to the model before. */
export function toolsText(tools: unknown, textOf: (tool: unknown) => string = jsonOf): string[] {
  return isArray(tools) ? tools.filter((tool) => !isDeferred(tool)).map(textOf) : [];
}

/** As Anthropic's API has it, the AI SDK, and LangChain. */
function isDeferred(tool: unknown): boolean {
  const places = [tool, memberOf(memberOf(tool, "providerOptions"), "anthropic"), memberOf(tool, "extras")];
  return places.some((place) => memberOf(place, "defer_loading") === true || memberOf(place, "deferLoading") === true);
}

/**
 * What a tool is sent as, as far as that can be told.
 *
 * @throws PlicaError `bad-argument` for what cannot be written as JSON.
 */
export function jsonOf(tool: unknown): string {
  try {
    return JSON.stringify(tool, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ?? "";
  } catch (cause) {
    throw new PlicaError("bad-argument", "a tool cannot be written as JSON", { cause });
  }
}
