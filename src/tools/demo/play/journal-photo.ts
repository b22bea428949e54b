import type { Id } from '../../../contracts/id.ts';
import type { Audience } from '../../reference-site/checks.ts';
import type { Timeline } from './timeline.ts';

/** Undefined: there is no such photo. */
export type PhotoState = Audience | undefined;

export interface JournalPhoto {
  readonly owner: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
  readonly timeline: Timeline<PhotoState>;
  /** Undefined while the upload is under way. */
  id: Id | undefined;
}
