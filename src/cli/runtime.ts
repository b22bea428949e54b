const LEAST = 24;

/** What to do when this Node is too old to run Recency; undefined: it is not. @param version as `24.1.0` */
export function runtimeProblem(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= LEAST) return undefined;
  return `Recency needs Node ${LEAST} or newer, and this is ${version}. \`npx recency\` takes the one that came with the packages.`;
}
