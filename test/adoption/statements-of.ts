/** Statements of a file as people write it, for tests and tools: separated by `;` at the end of a line, comments dropped. */
export function statementsOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
