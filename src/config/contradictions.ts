import { DEFAULT_LIMIT } from '../contracts/http.ts';
import type { SettingProblem } from './environment.ts';
import { type Config, PREFIX, type SettingName } from './settings.ts';
import { isPair } from './tls.ts';

/** Settings that are valid one by one but contradict one another, or that would have no effect. */
export function contradictions(config: Config): SettingProblem[] {
  return [
    ...limitProblems(config),
    ...tlsProblems(config),
    ...pairProblems(config),
    ...saslProblems(config),
    ...sentinelProblems(config),
  ];
}

const problem = (name: SettingName, message: string): SettingProblem => ({ name: PREFIX + name, message });

const isSet = (value: unknown): boolean => value !== undefined;

function limitProblems({ min, max, plainConcurrency, mysqlConnections }: Config): SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (min >= max) problems.push(problem('MIN', `must be less than ${PREFIX}MAX (${min} ≥ ${max})`));
  if (plainConcurrency >= mysqlConnections) {
    const bound = `${PREFIX}MYSQL_CONNECTIONS (${plainConcurrency} ≥ ${mysqlConnections})`;
    problems.push(problem('PLAIN_CONCURRENCY', `must be less than ${bound}, or heavy queries block all others`));
  }
  if (min < DEFAULT_LIMIT) {
    problems.push(problem('MIN', `must be at least ${DEFAULT_LIMIT}, the default number of contacts in an answer`));
  }
  return problems;
}

function tlsProblems(config: Config): SettingProblem[] {
  const redisUrls = `${config.redisUrl},${config.streamsUrl ?? ''}`;
  return [
    ...unused('MYSQL', config.mysqlTls !== 'off', 'MYSQL_TLS is off: set it to on', config),
    ...unused('KAFKA', config.kafkaTls === 'on', 'KAFKA_TLS is off: set it to on', config),
    ...unused('REDIS', /rediss/.test(redisUrls), 'REDIS_URL asks for no TLS: begin it with rediss', config),
  ];
}

type TlsServer = 'MYSQL' | 'REDIS' | 'KAFKA';

const files = (kind: TlsServer, { mysqlTlsCa, mysqlTlsCert, mysqlTlsKey, ...config }: Config) => {
  if (kind === 'MYSQL') return { CA: mysqlTlsCa, CERT: mysqlTlsCert, KEY: mysqlTlsKey };
  if (kind === 'REDIS') return { CA: config.redisTlsCa, CERT: config.redisTlsCert, KEY: config.redisTlsKey };
  return { CA: config.kafkaTlsCa, CERT: config.kafkaTlsCert, KEY: config.kafkaTlsKey };
};

function unused(kind: TlsServer, isAsked: boolean, fix: string, config: Config): SettingProblem[] {
  if (isAsked) return [];
  const given = Object.entries(files(kind, config)).filter(([, path]) => isSet(path));
  return given.map(([part]) => problem(`${kind}_TLS_${part}` as SettingName, `has no effect while ${PREFIX}${fix}`));
}

function pairProblems(config: Config): SettingProblem[] {
  return (['MYSQL', 'REDIS', 'KAFKA'] as const).flatMap((kind) => {
    const { CERT: cert, KEY: key } = files(kind, config);
    const [certName, keyName] = [`${kind}_TLS_CERT`, `${kind}_TLS_KEY`] as const;
    if (cert === undefined && key === undefined) return [];
    if (key === undefined) return [problem(certName, `needs its key: set ${PREFIX}${keyName}`)];
    if (cert === undefined) return [problem(keyName, `needs its certificate: set ${PREFIX}${certName}`)];
    return isPair(cert, key) ? [] : [problem(keyName, `is not the key of the certificate of ${PREFIX}${certName}`)];
  });
}

function saslProblems(config: Config): SettingProblem[] {
  const { kafkaSasl, kafkaUser, kafkaPassword, kafkaOauthTokenFile: file, kafkaOauthTokenCommand: command } = config;
  if (kafkaSasl === 'oauthbearer') {
    if (isSet(file) !== isSet(command)) return [];
    const sources = `${PREFIX}KAFKA_OAUTH_TOKEN_FILE or ${PREFIX}KAFKA_OAUTH_TOKEN_COMMAND`;
    return [problem('KAFKA_SASL', `is oauthbearer: set ${sources}, one of them`)];
  }
  const isUsed = kafkaSasl !== 'off';
  const ofUsers = { KAFKA_USER: kafkaUser, KAFKA_PASSWORD: kafkaPassword } as const;
  const ofTokens = { KAFKA_OAUTH_TOKEN_FILE: file, KAFKA_OAUTH_TOKEN_COMMAND: command } as const;
  const names = (some: object, wanted: boolean) =>
    (Object.entries(some) as [SettingName, unknown][])
      .filter(([, value]) => isSet(value) === wanted)
      .map(([name]) => name);
  return [
    ...(isUsed
      ? names(ofUsers, false).map((name) => problem(name, `must be set with ${PREFIX}KAFKA_SASL ${kafkaSasl}`))
      : []),
    ...[...(isUsed ? [] : names(ofUsers, true)), ...names(ofTokens, true)].map((name) =>
      problem(name, `has no effect while ${PREFIX}KAFKA_SASL is ${kafkaSasl}`),
    ),
  ];
}

function sentinelProblems({ redisUrl, streamsUrl, redisSentinelUser: user, redisSentinelPassword: password }: Config) {
  const names = [
    ...(isSet(user) ? (['REDIS_SENTINEL_USER'] as const) : []),
    ...(isSet(password) ? (['REDIS_SENTINEL_PASSWORD'] as const) : []),
  ];
  if (!/\+sentinel:/.test(`${redisUrl} ${streamsUrl}`)) {
    return names.map((name) => problem(name, `has no effect while ${PREFIX}REDIS_URL is no redis+sentinel:// address`));
  }
  return isSet(user) && !isSet(password) ? [problem('REDIS_SENTINEL_PASSWORD', 'must be set: there is a user')] : [];
}
