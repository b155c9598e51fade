export type Rejection = "blank" | "not-text" | "not-smaller";
export declare function judgeSummary(a: {
    text: unknown;
    finishReason?: string;
    prompt?: string;
    earlier?: string;
}): {
    accepted: true;
} | {
    accepted: false;
    code: Rejection;
    message: string;
};
export declare function isTooLong(error: unknown): boolean;
