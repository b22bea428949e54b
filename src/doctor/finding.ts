/** What one check found. */
export interface Finding {
  /** `mysql`, `redis`, … */
  readonly area: string;
  /** What was looked at. */
  readonly check: string;
  /** `problem`: Recency does not work, or not rightly; `warning`: it works, and could work better. */
  readonly state: 'fine' | 'warning' | 'problem';
  readonly detail: string;
  /** How to mend it. */
  readonly mend?: string;
}

export type Verdict = Pick<Finding, 'state' | 'detail' | 'mend'>;

export const fine = (detail: string): Verdict => ({ state: 'fine', detail });
export const warning = (detail: string, mend: string): Verdict => ({ state: 'warning', detail, mend });
export const problem = (detail: string, mend: string): Verdict => ({ state: 'problem', detail, mend });

/** Checks of one area, by what they look at. Each says what it found, or throws what kept it from looking. */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
