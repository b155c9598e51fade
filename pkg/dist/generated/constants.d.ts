/** What a digest is in each format: a message, or several. */
export interface DigestMessages {
    "anthropic": {
        role: "user";
        content: string;
    };
    "openai-chat": {
        role: "user";
        content: string;
    };
    "openai-responses": {
        role: "user";
        content: string;
    };
    "ai-sdk": {
        role: "user";
        content: string;
    };
    "ai-sdk-ui": {
        id: string;
        role: "user";
        parts: {
            type: "text";
            text: string;
        }[];
    };
    "langchain": {
        type: "human";
        data: {
            content: string;
            additional_kwargs: {
                lc_source: "summarization";
            };
            response_metadata: {};
        };
    } | {
        lc: 1;
        type: "constructor";
        id: string[];
        kwargs: {
            content: string;
            additional_kwargs: {
                lc_source: "summarization";
            };
            response_metadata: {};
        };
    };
    "gemini": [{
        role: "user";
        parts: {
            text: string;
        }[];
    }, {
        role: "model";
        parts: {
            text: string;
        }[];
    }];
    "hotl": {
        type: "user";
        text: string;
        synthetic: "compaction_summary";
    };
    "agentfootprint": {
        role: "user";
        content: string;
    };
    "pi": {
        role: "user";
        content: string;
    };
}
/** What the pinned message is in each format: a message, or several. */
export interface PinnedMessages {
    "anthropic": {
        role: "user";
        content: string;
    };
    "openai-chat": {
        role: "system";
        content: string;
    };
    "openai-responses": {
        role: "system";
        content: string;
    };
    "ai-sdk": {
        role: "system";
        content: string;
    };
    "ai-sdk-ui": {
        id: string;
        role: "system";
        parts: {
            type: "text";
            text: string;
        }[];
    };
    "langchain": {
        type: "system";
        data: {
            content: string;
            additional_kwargs: {};
            response_metadata: {};
        };
    } | {
        lc: 1;
        type: "constructor";
        id: string[];
        kwargs: {
            content: string;
            additional_kwargs: {};
            response_metadata: {};
        };
    };
    "gemini": [{
        role: "user";
        parts: {
            text: string;
        }[];
    }, {
        role: "model";
        parts: {
            text: string;
        }[];
    }];
    "hotl": {
        type: "user";
        text: string;
        synthetic: "memory";
    };
    "agentfootprint": {
        role: "system";
        content: string;
    };
    "pi": {
        role: "custom";
        customType: "plica-pins";
        content: string;
        display: false;
        timestamp: 0;
    };
}
export declare const FORMATS: readonly (keyof DigestMessages)[];
export declare const SUMMARIZE_SYSTEM: string;
export declare const LEAST_GAIN: number;
export declare const PINNED_KIND_NAMES: readonly string[];
export declare const ISSUERS: Readonly<Record<string, number>>;
export declare const MAX_PINS: number;
export declare const MAX_PIN_TOKENS: number;
export declare const PROVENANCE_MARKS: readonly string[];
/** Of each format the members that tell system text, instructions and memory from the rest; null where it takes more. */
export declare const TELLING_MEMBERS: {
    readonly anthropic: readonly ["role"];
    readonly "openai-chat": readonly ["role"];
    readonly "openai-responses": readonly ["type", "role"];
    readonly "ai-sdk": readonly ["role"];
    readonly "ai-sdk-ui": readonly ["role"];
    readonly langchain: null;
    readonly gemini: readonly ["role"];
    readonly hotl: readonly ["type", "synthetic"];
    readonly agentfootprint: readonly ["role"];
    readonly pi: readonly ["role"];
};
