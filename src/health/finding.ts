/** What one check found. */
export interface Finding {
  /** `mysql`, `redis`, … */
  readonly area: string;
  /** What was looked at. */
  readonly check: string;
  /** `problem`: Recency does not work, or gives wrong answers; `warning`: it works, but could work better. */
  readonly state: 'fine' | 'warning' | 'problem';
  readonly detail: string;
  /** How to fix it. The name is part of the JSON that `recency doctor --json` prints. */
  readonly mend?: string;
}

export type Verdict = Pick<Finding, 'state' | 'detail' | 'mend'>;

export const fine = (detail: string): Verdict => ({ state: 'fine', detail });
export const warning = (detail: string, fix: string): Verdict => ({ state: 'warning', detail, mend: fix });
export const problem = (detail: string, fix: string): Verdict => ({ state: 'problem', detail, mend: fix });

/** For example `1 warning`, `2 warnings`. */
export const counting = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

/** The checks of one area by name. A check that throws could not be done, which is a problem as well. */
export type Checks = Readonly<Record<string, () => Promise<Verdict>>>;

/** Runs the checks of an area one after the other. */
export async function examine(area: string, checks: Checks): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, look] of Object.entries(checks)) {
    const verdict = await look().catch((error: unknown): Verdict => ({ state: 'problem', detail: messageOf(error) }));
    findings.push({ area, check, ...verdict });
  }
  return findings;
}

/** An attempt at several addresses of a host has an error without a message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
