import type { DriftExample } from '../repair/examples.ts';
import type { IndexCounts } from '../repair/page-check.ts';

/** What was found wrong with indexes, for people. */
export function driftText(found: IndexCounts & { readonly wrong_users: readonly DriftExample[] }): string {
  const { users, warm, cold, wrong, visible, unsettled, classes, wrong_users } = found;
  const kinds = Object.entries(classes).filter(([, count]) => count > 0);
  return [
    `${users} users: ${warm} with an index, ${cold} without; ${wrong} wrong, ${visible} of them visibly.`,
    ...(kinds.length > 0 ? [`  ${kinds.map(([name, count]) => `${name} ${count}`).join(', ')}`] : []),
    ...(unsettled > 0 ? [`${unsettled} could not be told: their changes were still on their way.`] : []),
    ...wrong_users.map(exampleText),
  ].join('\n');
}

function exampleText({ user, mismatches }: DriftExample): string {
  const shown = mismatches.map((mismatch) =>
    mismatch.contact === undefined ? mismatch.class : `${mismatch.class} ${mismatch.contact}`,
  );
  return `  user ${user}: ${shown.join(', ')}`;
}
