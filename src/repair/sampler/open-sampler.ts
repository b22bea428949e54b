import type { Logger } from 'pino';
import { Answers } from '../answers.ts';
import { Examination } from '../examination.ts';
import { FailedUsers } from '../failed-users.ts';
import { type CheckStores, openPageCheck } from '../open-check.ts';
import type { CheckedTruth } from '../truth-check.ts';
import { FirstLook } from './first-look.ts';
import type { SamplerReports } from './report.ts';
import { Sampler } from './sampler.ts';
import { UserDraw } from './user-draw.ts';
import { type SampleCounts, WINDOWS, type Windows } from './windows.ts';
import { WrongUsers } from './wrong-users.ts';

export interface SamplerStores extends Omit<CheckStores, 'answersFrom'> {
  /** Users a second. */
  readonly rate: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly windows: Windows;
  readonly reports: Pick<SamplerReports, 'write'>;
  readonly logger: Logger;
  /** Called with what is also added to the windows. */
  readonly onCounts?: (counts: SampleCounts) => void;
  readonly onTruth?: (truth: CheckedTruth) => void;
}

/** Wrong users who are named in a report. */
const NAMED = 5;

/** A sampler that counts in the windows, which are in its report as well. */
export function openSampler({
  random,
  windows,
  reports,
  onCounts,
  onTruth = () => undefined,
  ...stores
}: SamplerStores): Sampler {
  const { primary, rate, logger, now } = stores;
  const wrongUsers = new WrongUsers(logger, now);
  const failed = new FailedUsers(primary);
  return new Sampler({
    look: new FirstLook({
      draw: new UserDraw(primary, random),
      examination: new Examination(stores),
      answers: new Answers(stores),
      failed,
    }),
    check: openPageCheck(stores),
    ...{ failed, wrongUsers, rate, logger, now, onTruth },
    onCounts: (counts) => {
      windows.add(counts);
      onCounts?.(counts);
    },
    report: () =>
      reports.write({ rate, windows: windows.all(), wrong_users: wrongUsers.latest(WINDOWS['5m'] * 1000, NAMED) }),
  });
}
