/**
 * Who may import whom: for each folder of src, those that it may import besides itself. Everything else is an error
 * (`npm run lint`), and so is a circular import, of types too.
 */
const MAY_IMPORT = {
  contracts: [],
  config: ['contracts'],
  timing: [],
  tracing: ['config'],
  site: ['contracts'],
  mysql: ['contracts', 'config', 'timing', 'site'],
  redis: ['contracts', 'config', 'timing', 'tracing'],
  index: ['contracts', 'timing', 'mysql', 'redis'],
  transport: ['contracts', 'timing', 'tracing', 'mysql', 'redis', 'index'],
  consumers: ['contracts', 'timing', 'tracing', 'mysql', 'redis', 'index', 'transport'],
  relay: ['contracts', 'timing', 'tracing', 'mysql', 'transport'],
  adoption: ['contracts', 'mysql', 'capture'],
  capture: ['contracts', 'config', 'timing', 'site', 'mysql', 'redis', 'index', 'transport'],
  query: ['contracts', 'timing', 'tracing', 'mysql', 'redis', 'index'],
  push: ['contracts', 'timing', 'mysql', 'redis', 'index', 'query', 'transport'],
  repair: ['contracts', 'timing', 'mysql', 'redis', 'index', 'query'],
  api: ['contracts', 'site', 'config', 'timing', 'tracing', 'mysql', 'redis', 'index', 'transport', 'query', 'push'],
  console: ['contracts', 'timing', 'config', 'mysql', 'index', 'transport', 'query', 'repair', 'health', 'api'],
  health: ['contracts', 'config', 'timing', 'site', 'mysql', 'redis', 'index', 'transport', 'query', 'repair'],
};

/** They put the others together, so they may import all of them. */
const PRODUCT = Object.keys(MAY_IMPORT);
MAY_IMPORT.app = PRODUCT;
MAY_IMPORT.doctor = [...PRODUCT, 'app'];
MAY_IMPORT.cli = [...PRODUCT, 'app', 'doctor'];

/** The product works without the tools: of it only the command line loads them, when one of their commands is called. */
const TOOLS = {
  'tools/devservers': [],
  'tools/reference-site': [],
  'tools/capacity': [],
  'tools/denormalised': ['tools/reference-site'],
  'tools/harness': ['tools/devservers', 'tools/reference-site', 'tools/denormalised'],
  'tools/demo': ['tools/devservers', 'tools/reference-site', 'tools/harness'],
  'tools/bench': ['tools/devservers', 'tools/reference-site', 'tools/denormalised', 'tools/harness', 'tools/capacity'],
};
for (const [tool, others] of Object.entries(TOOLS)) MAY_IMPORT[tool] = [...MAY_IMPORT.cli, 'cli', ...others];

const TOOL_COMMANDS = '^src/tools/[^/]+/command\\.ts$';

/**
 * The files that join the subject of a folder to the API, to a process and to the command line, and what these files may import
 * besides what their folder may. The rest of the folder does without them.
 */
const JOINTS = {
  'push/routes': ['site', 'api'],
  'push/watch-view': ['site', 'api'],
  'push/open-kafka-channel': [...PRODUCT, 'app'],
  'push/process': [...PRODUCT, 'app'],
  'push/command': [...PRODUCT, 'app', 'cli'],
  'capture/open-sources': [...PRODUCT, 'app'],
  'capture/process': [...PRODUCT, 'app'],
  'capture/command': [...PRODUCT, 'app', 'cli'],
};
const JOINT_FILES = Object.keys(JOINTS).map((file) => `^src/${file}\\.ts$`);

const inOthers = (folders, ...alsoNot) => ({
  path: '^(src|prove|test|scripts|packages|examples)/',
  pathNot: [`^src/(${folders.join('|')})/`, ...alsoNot],
});

const layers = Object.entries(MAY_IMPORT).map(([folder, others]) => ({
  name: `${folder}-may-not-import`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: JOINT_FILES },
  to: inOthers([folder, ...others], ...(folder === 'cli' ? [TOOL_COMMANDS] : [])),
}));

const joints = Object.entries(JOINTS).map(([file, others]) => {
  const [folder] = file.split('/');
  return {
    name: `${file.replace('/', '-')}-may-not-import`,
    severity: 'error',
    from: { path: `^src/${file}\\.ts$` },
    to: inOthers([folder, ...MAY_IMPORT[folder], ...others]),
  };
});

/**
 * What is installed by itself imports nothing of the product, only packages. Its tests may, and so may the script that writes
 * the client's types.
 */
const STANDALONE = [
  { name: 'packages-stand-alone', from: '^packages/([^/]+)/src/', own: '^packages/$1/src/' },
  { name: 'examples-stand-alone', from: '^examples/([^/]+)/(?!test/)', own: '^(examples/$1/|packages/[^/]+/src/)' },
].map(({ name, from, own }) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|prove|test|scripts|packages|examples|bench)/', pathNot: own },
}));

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'every-folder-has-rules',
      comment: 'A folder of src without a line in MAY_IMPORT may be imported by nobody.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/(${Object.keys(MAY_IMPORT).join('|')})/` },
    },
    {
      name: 'tools-are-loaded-when-called',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/tools/', dynamic: false },
    },
    {
      name: 'no-unlisted-package',
      comment: 'What the product imports is a dependency in package.json.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/tools/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unlisted-package-of-the-client',
      comment: 'knex and mysql2 are optional: only their types are imported.',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev', 'npm-peer'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'joints-are-not-needed-by-their-folder',
      severity: 'error',
      from: { path: '^src/(push|capture)/', pathNot: JOINT_FILES },
      to: { path: JOINT_FILES },
    },
    ...layers,
    ...joints,
    ...STANDALONE,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // As in a checkout, where the client is used without a build.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['recency-source', 'import', 'require', 'node', 'default'],
    },
  },
};
