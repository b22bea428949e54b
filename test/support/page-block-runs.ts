import type { PageBlock } from './page-blocks.ts';

/** What becomes of a block: the test that runs it (or, of a page of examples, what it says), or why none can. */
export type BlockRun = { readonly ranBy: string } | { readonly why: string };

const ran = (ranBy: string): BlockRun => ({ ranBy });
const not = (why: string): BlockRun => ({ why });

const SETTING = not('one setting; test/config/config.unit.test.ts reads it');
const DRAWING = not('a drawing');

/** Blocks by their page and the beginning of their code. An empty beginning: all of the page that have no entry of their own. */
export const BLOCK_RUNS: Readonly<Record<string, Readonly<Record<string, BlockRun>>>> = {
  'README.md': {
    'npm run demo': ran('test/tools/demo/demo.e2e.test.ts'),
    'play     5,599': not('a part of the report of one run, which is in docs/tutorial.md'),
    'GET /v1/users/42/contacts/recent': ran('test/docs/tutorial.e2e.test.ts'), // with other ids
    'npm ci && npm run build': not('needs the registry of npm; CI begins with it, and tests the build'),
    'npm test': not('runs the tests themselves'),
  },
  'docs/adopting.md': { '': ran('test/adoption/adopting-page.e2e.test.ts') },
  'docs/architecture.md': { '': DRAWING },
  'docs/benchmarks.md': { 'npm run bench': ran('test/tools/bench/bench.e2e.test.ts') },
  'docs/capture.md': {
    'version: 1': ran('test/capture/mapping-file.unit.test.ts'),
    'CREATE USER recency_capture': ran('test/capture/capture.e2e.test.ts'),
    'recency doctor': ran('test/capture/capture.e2e.test.ts'),
    'export RECENCY_CAPTURE_TOPIC_PREFIX': not('needs Debezium; test/capture/debezium reads the topics of a real one'),
  },
  'docs/installing.md': {
    'npm run pack': ran('test/app/tarball.e2e.test.ts'),
    'npm run release': ran('test/app/tarball.e2e.test.ts'),
    'docker build': ran('test/deploy/image.e2e.test.ts'),
    'install -m 644': not('needs root and systemd; test/deploy/systemd.unit.test.ts checks the units'),
    'kubectl create namespace': not('needs a cluster; test/deploy/chart.unit.test.ts renders the chart'),
    '# garden.yaml': ran('test/deploy/chart.unit.test.ts'),
    'helm upgrade': not('needs a cluster; test/deploy/chart.unit.test.ts renders the chart'),
  },
  'docs/reference/sql.md': { '': ran('test/mysql/sent-statements.unit.test.ts') },
  'docs/operations.md': {
    'maxmemory-policy noeviction': not('lines of redis.conf'),
    'RECENCY_TRANSPORT=': SETTING,
    'RECENCY_STREAMS_URL=': SETTING,
    'RECENCY_MYSQL_URL=mysql://recency': ran('test/docs/several-sites.e2e.test.ts'),
    'ACL SETUSER recency': ran('test/redis/permissions.unit.test.ts'),
    '+xadd': ran('test/redis/permissions.unit.test.ts'),
    'recency verify': ran('test/docs/tutorial.e2e.test.ts'), // with --users all
    'recency dlq': ran('test/cli/dlq.int.test.ts'),
  },
  'docs/push.md': {
    '': not('a request, a message and a stream in short; test/push and test/api/streams have real ones'),
  },
  'docs/resharding.md': {
    'kafka-topics.sh': not("needs Kafka's scripts; test/transport/kafka/losses.int.test.ts adds partitions"),
    'recency config adopt': ran('test/cli/cli.int.test.ts'),
  },
  'docs/restore.md': { '': ran('test/docs/restore.e2e.test.ts') },
  'docs/sizing.md': { 'recency size': ran('test/tools/capacity/sizing.unit.test.ts') },
  'docs/tracing.md': {
    'OTEL_TRACES_EXPORTER=otlp': not('names a host; test/tracing/traces.e2e.test.ts has a collector of its own'),
    'INSERT INTO recency_outbox': ran('test/tracing/traces.e2e.test.ts'), // with other ids
    'your transaction': DRAWING,
    'GET /v1/users/{user}': not('a list of spans'),
  },
  'docs/upgrading.md': {
    'GRANT SELECT': not('needs accounts; test/app/start-refused.int.test.ts has the GRANT that a process misses'),
  },
  'docs/tutorial.md': {
    'npm ci': not('needs the registry of npm; CI begins with it'),
    'Recency: the main job': not('the report of one run, with its figures'),
    '': ran('test/docs/tutorial.e2e.test.ts'),
  },
};

/** What becomes of a block; undefined: nobody has said. */
export function runOf({ page, code }: Pick<PageBlock, 'page' | 'code'>): BlockRun | undefined {
  const entries = Object.entries(BLOCK_RUNS[page] ?? {});
  const own = entries.find(([beginning]) => beginning !== '' && code.startsWith(beginning));
  return (own ?? entries.find(([beginning]) => beginning === ''))?.[1];
}
