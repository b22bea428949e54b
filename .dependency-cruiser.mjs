/**
 * Who may import whom: for each folder of src, those that it may import besides itself. Everything else is an error
 * (`npm run lint`), and so is a circular import, of types too.
 */
const MAY_IMPORT = {
  contracts: [],
  config: ['contracts'],
  mysql: ['contracts', 'config'],
  redis: ['config'],
  index: ['contracts', 'mysql', 'redis'],
  consumers: ['contracts', 'mysql', 'redis', 'index'],
  query: ['contracts', 'mysql', 'redis', 'index'],
  relay: ['contracts', 'mysql', 'consumers'],
  repair: ['contracts', 'mysql', 'redis', 'index', 'query'],
  api: ['contracts', 'config', 'mysql', 'redis', 'index', 'query'],
  site: ['contracts', 'mysql'],
  stack: ['contracts'],
  sizing: ['index', 'consumers'],
  start: ['contracts', 'config', 'mysql', 'redis', 'index', 'consumers', 'query', 'relay', 'repair', 'api', 'site'],
  doctor: ['contracts', 'config', 'mysql', 'redis', 'index', 'consumers', 'repair', 'start'],
  rig: [
    'contracts',
    'config',
    'mysql',
    'redis',
    'index',
    'consumers',
    'query',
    'repair',
    'api',
    'site',
    'stack',
    'start',
  ],
  demo: [
    ...['contracts', 'config', 'mysql', 'redis', 'index', 'consumers', 'relay', 'repair', 'site', 'stack', 'start'],
    'rig',
  ],
  bench: [
    ...['contracts', 'config', 'mysql', 'redis', 'index', 'consumers', 'repair', 'site', 'stack', 'sizing', 'start'],
    'rig',
  ],
  cli: [
    ...['contracts', 'config', 'mysql', 'redis', 'index', 'consumers', 'query', 'relay', 'repair', 'api', 'stack'],
    ...['sizing', 'start', 'doctor', 'demo', 'bench'],
  ],
};

const layers = Object.entries(MAY_IMPORT).map(([folder, others]) => ({
  name: `${folder}-may-not-import`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^(src|prove|bench|test|scripts)/', pathNot: `^src/(${[folder, ...others].join('|')})/` },
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
      name: 'no-unlisted-package',
      comment: 'What the product imports is a dependency in package.json.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/stack/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    ...layers,
  ],
  options: { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: true },
};
