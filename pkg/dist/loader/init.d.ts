/**
 * Compiles the core without blocking. Never needed (the first call does it), but recommended in browsers, where the main
 * thread should not wait for it.
 *
 * @example
 * await init();
 */
export declare function init(): Promise<void>;
