// The declarations of the small server (Node).

/**
 * Serves the page on this machine only.
 *
 * @param options port (0, the default, takes a free one), and the paths of a session to show and of its ledger.
 * @returns the address that opens the session.
 */
export declare function serve(options?: { port?: number; session?: string; ledger?: string }): Promise<{ url: string; close(): void }>;
