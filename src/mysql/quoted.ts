/** A name of a table or column, quoted. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** Text as a literal, for statements that people read and run; what Recency sends has placeholders. */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
