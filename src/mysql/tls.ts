import { connect, isIP, type Socket } from 'node:net';
import type { PoolOptions, SslOptions } from 'mysql2/promise';
import type { TlsMaterial } from '../config/tls.ts';

/** How to encrypt connections to MySQL. */
export interface MysqlTls {
  readonly material: TlsMaterial;
  /** Verify the server's certificate and host name; false: encrypt only. */
  readonly verify: boolean;
}

/** The options of mysql2; empty without TLS. */
export function tlsOptions(tls: MysqlTls | undefined): Pick<PoolOptions, 'ssl' | 'stream'> {
  if (tls === undefined) return {};
  const { verify, material } = tls;
  // mysql2 keeps the object, and reads it for each connection.
  const ssl = {
    rejectUnauthorized: verify,
    verifyIdentity: verify, // or mysql2 takes any certificate of the CA for any host
    minVersion: 'TLSv1.2',
    get ca() {
      return material.ca;
    },
    get cert() {
      return material.cert;
    },
    get key() {
      return material.key;
    },
  };
  return { ssl: ssl as SslOptions, stream: namedSocket };
}

/**
 * A socket like mysql2's that also knows its address. Otherwise Node compares the certificate of a server addressed by
 * IP with `localhost`: mysql2 passes neither name nor address, and a socket remembers only names.
 */
function namedSocket({ config }: { config: { host: string; port: number } }): Socket {
  const { host, port } = config;
  const socket = connect(port, host);
  socket.on('connect', () => socket.setKeepAlive(true));
  socket.setNoDelay(true);
  return isIP(host) === 0 ? socket : Object.assign(socket, { _host: host });
}
