import { startApi } from '../../../api/listen.ts';
import type { Id } from '../../../contracts/id.ts';
import { readPlain } from '../../../mysql/statements/plain-contacts.ts';
import { fillRecipeIndex, RecipeIndex } from '../../harness/variants/recipe.ts';
import { startVariant } from '../../harness/variants/start-variant.ts';
import type { DemoRun, Prepared } from '../prepare.ts';
import { pick } from '../random.ts';
import { pageApp } from './app.ts';
import { AnswerComparer } from './comparer.ts';
import { type Exhibition, isOver } from './exhibition.ts';
import { FaultDesk } from './fault-desk.ts';
import { LivePages } from './live.ts';
import { ArmRace } from './race.ts';
import { SiteDesk } from './site-desk.ts';
import { TaskWay } from './task-way.ts';

/** Steps of the story that are slowed by what runs beside them: the race rests meanwhile. */
const MEASURING = new Set<string | undefined>(['burst', 'verify', 'latency']);

/** Half of the comparisons are about so many people, so that their indexes are read often. */
const CIRCLE = 50;

/**
 * Serves the page of a demonstration, on loopback, until the run's resources are disposed of.
 * @returns its address
 * @throws ListenError
 */
export async function startPage(run: DemoRun, prepared: Prepared): Promise<string> {
  const { resources, fail } = run;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, run.signal]);
  const recipe = recipeOf(prepared);
  let race: ArmRace | undefined;
  const exhibition = exhibitionOf(run, prepared, { signal, race: () => race, onFlushed: () => recipe.fill() });
  const app = pageApp(exhibition, new LivePages(exhibition, signal));
  const server = await startApi({ app, host: '127.0.0.1', port: 0, tokens: [], onError: () => undefined });
  const running = [
    exhibition.comparer.run(signal),
    recipe
      .fill()
      .then(() => startRace(prepared, exhibition.isRaceResting))
      .then(async (started) => {
        race = started;
        await started.run(signal);
      }),
  ];
  for (const one of running) one.catch((error: Error) => signal.aborted || fail(error));
  resources.defer(async () => {
    ending.abort();
    exhibition.faults.close();
    await server.close(0);
    await Promise.allSettled(running);
  });
  return server.url;
}

interface Live {
  readonly signal: AbortSignal;
  readonly race: Exhibition['race'];
  readonly onFlushed: () => Promise<unknown>;
}

function exhibitionOf(run: DemoRun, prepared: Prepared, { signal, race, onFlushed }: Live): Exhibition {
  const { story, options, fail } = run;
  const { servers, stores, world } = prepared;
  const { services, redis, pool, api, cast } = world;
  const clock = Date.now;
  const way = new TaskWay(() => performance.now(), signal);
  const people = cast.measured.map(({ user, contacts }) => ({ id: user, contacts }));
  const site = new SiteDesk({ pool, api, feed: options.feed, way, people });
  const comparer = new AnswerComparer({
    api,
    plain: async (user, limit) =>
      (await readPlain(stores.contacts, { user, relation: 'any', limit, below: undefined })).contacts,
    nextUser: () => anybody(prepared),
    changes: () => site.changes,
    isResting: () => !isOver({ story }), // it has a judge of its own, and changes the site too fast for plain SQL
    clock,
  });
  const faults = new FaultDesk({ services, servers, redis, onFlushed, fail, signal });
  const isRaceResting = () => MEASURING.has(story.running);
  return { feed: options.feed, story, site, way, faults, comparer, race, isRaceResting, clock };
}

/** Not by the demonstration's own random numbers, whose sequence decides what happens in it. */
function anybody({ world: { cast } }: Prepared): Id {
  const shown = cast.measured.map(({ user }) => user);
  const circle = [...shown, ...cast.players.slice(0, CIRCLE)];
  return pick(Math.random, Math.random() < 0.5 ? circle : cast.players);
}

/** The recipe's indexes of the people who race. */
function recipeOf({ stores, world }: Prepared) {
  const { keyPrefix: prefix, max } = world.namespace.config;
  const index = new RecipeIndex(world.redis, { prefix, max });
  const fill = () =>
    Promise.all(world.cast.measured.map(({ user }) => fillRecipeIndex(index, stores.contacts, user, max)));
  return { fill };
}

async function startRace({ processGroup, world }: Prepared, isResting: () => boolean): Promise<ArmRace> {
  const [sql, recipe] = await Promise.all([
    startVariant(processGroup, 'sql', 'racing sql'),
    startVariant(processGroup, 'recipe', 'racing recipe'),
  ]);
  const urls = { sql: sql.url, recipe: recipe.url, recency: world.services.apiUrl };
  return new ArmRace({ urls, users: world.cast.measured, isResting });
}
