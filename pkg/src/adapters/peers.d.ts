// What the adapters take of their peers, so that the package builds without them. The tests hold this against the real ones.

declare module "langchain" {
  class Message {
    constructor(fields: object);
    readonly text: string;
    readonly content: string | object[];
    static isInstance(value: unknown): boolean;
  }
  export class AIMessage extends Message {}
  export class HumanMessage extends Message {}
  export class SystemMessage extends Message {}
  export class ToolMessage extends Message {}
  export function createMiddleware(config: object): object;
}

declare module "@langchain/langgraph" {
  export class Command {
    constructor(fields: { update: object });
  }
  export class ReducedValue {
    constructor(schema: unknown, init: { reducer: (now: unknown, next: unknown) => unknown });
  }
  export class StateSchema {
    constructor(fields: object);
  }
}

declare module "zod/v4" {
  export const z: { custom(): { optional(): unknown }; toJSONSchema(schema: object, options: object): object };
}
