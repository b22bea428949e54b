import type { Html } from '../../../console/html.ts';
import type { Feed } from '../../harness/servers.ts';
import type { Story } from '../story.ts';
import type { AnswerComparer } from './comparer.ts';
import type { FaultDesk } from './fault-desk.ts';
import type { ArmRace } from './race.ts';
import type { SiteDesk } from './site-desk.ts';
import type { PagePerson } from './site-look.ts';
import type { TaskWay } from './task-way.ts';
import { counterView } from './views/counter-view.ts';
import { faultsView } from './views/faults-view.ts';
import { raceView } from './views/race-view.ts';
import { certificateView, siteView } from './views/site-view.ts';
import { storyView } from './views/story-view.ts';
import { wayView } from './views/way-view.ts';

/** What the page shows. */
export interface Exhibition {
  readonly feed: Feed;
  readonly story: Pick<Story, 'told' | 'verdict' | 'running'>;
  readonly site: SiteDesk;
  readonly way: TaskWay;
  readonly faults: FaultDesk;
  readonly comparer: AnswerComparer;
  /** Undefined: its arms are being started. */
  readonly race: () => ArmRace | undefined;
  /** Whether the race rests. */
  readonly isRaceResting: () => boolean;
  /** ms since 1970 UTC. */
  readonly clock: () => number;
}

/** The parts of the page that change by themselves, in the order of the page. */
export const PARTS = ['story', 'counter', 'site', 'race', 'certificate', 'way', 'faults'] as const;
export type PartName = (typeof PARTS)[number];

/** The parts as they are now. @throws Error when MySQL is not there */
export async function partsNow(exhibition: Exhibition, person: PagePerson): Promise<Record<PartName, Html>> {
  const { feed, story, site, way, faults, comparer, race, isRaceResting, clock } = exhibition;
  const look = await site.look(person);
  const isOpen = isOver(exhibition);
  const today = new Date(clock()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return {
    story: storyView(story),
    counter: counterView(comparer.counts, comparer.example, isOpen),
    site: siteView(look, { isOpen, today }),
    certificate: certificateView(look.recent, today),
    way: wayView(way.latest, feed),
    race: raceView(race()?.rows, isRaceResting()),
    faults: faultsView(faults.state, isOpen),
  };
}

/** Whether the story has ended. Until then the page changes nothing, because the story counts on that. */
export function isOver({ story }: Pick<Exhibition, 'story'>): boolean {
  return story.verdict !== undefined;
}
