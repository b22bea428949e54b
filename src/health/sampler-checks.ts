import type { Config } from '../config/config.ts';
import type { RedisClient } from '../redis/connection.ts';
import { type SamplerReport, SamplerReports } from '../repair/sampler/report.ts';
import { ninesOf, WINDOW_NAMES, type WindowName } from '../repair/sampler/windows.ts';
import { type Checks, fine, problem, type Verdict, warning } from './finding.ts';

/** The consistency of the indexes according to the consumers' sampler. */
export function samplerChecks(redis: RedisClient, { keyPrefix, sampleRate }: Config): Checks {
  return {
    sampler: async () => {
      const read = await new SamplerReports(redis, keyPrefix).read();
      if (read !== undefined) return reportVerdict(read.report, read.ageMs);
      if (sampleRate === 0) return fine('off (RECENCY_SAMPLE_RATE is 0)');
      const fix = 'Is a `recency consume` running, with RECENCY_SAMPLE_RATE above 0? Its log says what is wrong.';
      return warning('no sampler reports', fix);
    },
  };
}

function reportVerdict({ rate, windows, wrong_users }: SamplerReport, ageMs: number): Verdict {
  const taken = `${rate} users a second, ${(ageMs / 1000).toFixed(1)} s ago`;
  const text = [taken, ...WINDOW_NAMES.map((name) => windowText(name, windows[name]))].join('\n');
  const { checked, wrong, visible, unsettled } = windows['5m'];
  if (wrong === 0) {
    const fix = 'More users are unsettled than checked: what delays their changes? See the backlog.';
    return unsettled > checked ? warning(text, fix) : fine(text);
  }
  const about = ({ kind, classes }: SamplerReport['wrong_users'][number]) =>
    `${kind === undefined ? '' : `${kind}: `}${classes.join(', ') || 'answers'}`;
  const named = wrong_users.map((wrong) => `${wrong.user} (${about(wrong)})`).join('; ');
  const [first] = wrong_users;
  const details = `\`recency verify --user ${first?.user ?? 'ID'}\` shows details`;
  const fix = `Wrong: ${named}. ${details}; \`recency repair\` fixes it.`;
  return visible > 0 ? problem(text, fix) : warning(text, fix);
}

function windowText(name: WindowName, counts: SamplerReport['windows'][WindowName]): string {
  const nines = ninesOf(counts);
  const { checked, wrong, visible, unsettled } = counts;
  if (nines === undefined) return `${name}: no user was checked${unsettled > 0 ? `, ${unsettled} unsettled` : ''}`;
  const parts = [`${wrong} of ${checked} users wrong`];
  if (wrong > 0) parts.push(`${visible} visibly`);
  if (unsettled > 0) parts.push(`${unsettled} unsettled`);
  return `${name}: ${nines.toFixed(1)} nines (${parts.join(', ')})`;
}
