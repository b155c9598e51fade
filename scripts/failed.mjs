// A reporter for `node --test`: what failed, and how long each test took, as one JSON object a line. It goes into a
// file, so that the end of a long log can say what failed: the runner itself says it far above.

export default async function* failed(events) {
  for await (const { type, data } of events) {
    // A parent of a failed test fails as well, and has nothing to say of its own.
    if (type === "test:fail" && data.details?.error?.failureType !== "subtestsFailed") yield line({ failed: data.name, file: data.file, why: reason(data.details?.error) });
    // What is inside a test is in its time.
    const isWhole = data.nesting === 0 && data.details?.duration_ms !== undefined && (type === "test:pass" || type === "test:fail");
    if (isWhole) yield line({ file: data.file, ms: data.details.duration_ms });
  }
}

const line = (value) => `${JSON.stringify(value)}\n`;

const reason = (error) => String(error?.cause?.stack ?? error?.cause ?? error?.message ?? error).slice(0, 2000);
