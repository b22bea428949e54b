import type { Config } from '../config/config.ts';
import type { RedisClient } from '../redis/connection.ts';
import { type SamplerReport, SamplerReports } from '../repair/sampler/report.ts';
import { ninesOf, WINDOW_NAMES, type WindowName } from '../repair/sampler/windows.ts';
import { type Checks, fine, problem, type Verdict, warning } from './finding.ts';

/** How consistent the indexes are, as the sampler of the consumers last said. */
export function samplerChecks(redis: RedisClient, { keyPrefix, sampleRate }: Config): Checks {
  return {
    sampler: async () => {
      const read = await new SamplerReports(redis, keyPrefix).read();
      if (read !== undefined) return reportVerdict(read.report, read.ageMs);
      if (sampleRate === 0) return fine('off (RECENCY_SAMPLE_RATE is 0)');
      const mend = 'Is a `recency consume` running, and RECENCY_SAMPLE_RATE not 0 there? Its log says what keeps it.';
      return warning('nobody samples', mend);
    },
  };
}

function reportVerdict({ rate, windows, wrong_users }: SamplerReport, ageMs: number): Verdict {
  const taken = `${rate} users a second, ${(ageMs / 1000).toFixed(1)} s ago`;
  const text = [taken, ...WINDOW_NAMES.map((name) => windowText(name, windows[name]))].join('\n');
  const { checked, wrong, visible, unsettled } = windows['5m'];
  if (wrong === 0) {
    const mend =
      'More users are unsettled than told right or wrong: what keeps their changes on their way? See the backlog.';
    return unsettled > checked ? warning(text, mend) : fine(text);
  }
  const named = wrong_users.map(({ user, classes }) => `${user} (${classes.join(', ') || 'answers'})`).join('; ');
  const mend = `Wrong: ${named}. \`recency verify --user\` shows what; \`recency repair\` mends it.`;
  return visible > 0 ? problem(text, mend) : warning(text, mend);
}

function windowText(name: WindowName, counts: SamplerReport['windows'][WindowName]): string {
  const nines = ninesOf(counts);
  const { checked, wrong, visible, unsettled } = counts;
  if (nines === undefined) return `${name}: nobody was checked${unsettled > 0 ? `, ${unsettled} unsettled` : ''}`;
  const parts = [`${wrong} of ${checked} users wrong`];
  if (wrong > 0) parts.push(`${visible} visibly`);
  if (unsettled > 0) parts.push(`${unsettled} unsettled`);
  return `${name}: ${nines.toFixed(1)} nines (${parts.join(', ')})`;
}
