import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';

/** Paths of PEM files for one kind of connection. */
interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Options of `tls.connect`. Without a CA, a connection trusts the CAs that Node trusts. */
export interface TlsMaterial {
  readonly ca?: string[] | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Reads the files, and again whenever the material is used: the client libraries look at it for each connection. So connections
 * are made with renewed certificates as soon as they are there. Files that are no valid set, for example because one of them has
 * not been replaced yet, leave the last valid set in force.
 * @throws ENOENT, … when they cannot be read the first time
 */
export function tlsMaterial(files: TlsFiles): TlsMaterial {
  let inForce = readTls(files);
  const current = () => {
    inForce = renewed(inForce, files);
    return inForce;
  };
  return {
    get ca() {
      return current().ca;
    },
    get cert() {
      return current().cert;
    },
    get key() {
      return current().key;
    },
  };
}

function renewed(last: TlsMaterial, files: TlsFiles): TlsMaterial {
  try {
    const found = readTls(files);
    // Unchanged, it is the same object, from which mysql2 need not make another context.
    if (`${found.ca}` === `${last.ca}` && found.cert === last.cert && found.key === last.key) return last;
    if (found.ca?.length === 0) return last;
    createSecureContext({ ...found }); // throws unless they are certificates, and the key is that of the certificate
    return found;
  } catch {
    return last; // the process says so (app/renewal.ts)
  }
}

function readTls({ ca, cert, key }: TlsFiles): TlsMaterial {
  const read = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path, 'utf8'));
  const bundle = read(ca);
  return { ca: bundle === undefined ? undefined : certificatesIn(bundle), cert: read(cert), key: read(key) };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function certificatesIn(pem: string): string[] {
  return pem.match(CERTIFICATE) ?? [];
}

/** The path of a file with certificates, the process's own first. */
export const certificateFile = pemFile('certificates in PEM', (pem) => {
  const found = certificatesIn(pem);
  for (const one of found) new X509Certificate(one);
  return found.length > 0 ? undefined : 'holds no certificate in PEM';
});

/** The path of a file with a private key. */
export const keyFile = pemFile('a private key in PEM', (pem) => {
  if (pem.includes('ENCRYPTED'))
    return 'holds a key with a passphrase: store it without one (`openssl pkey`), readable by this user only';
  createPrivateKey(pem);
  return undefined;
});

/** The path of a readable file, whose contents may change later. */
export const readableFile = pemFile('text', () => undefined);

function pemFile(what: string, problemIn: (pem: string) => string | undefined) {
  return z.string().superRefine((path, context) => {
    const problem = problemOf(path, what, problemIn);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: `names a file that ${problem}: ${path}` });
  });
}

function problemOf(path: string, what: string, problemIn: (pem: string) => string | undefined): string | undefined {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`;
  }
  try {
    return problemIn(pem);
  } catch {
    return `does not hold ${what}`;
  }
}

/** Does the key belong to the certificate? @throws errors of reading the files */
export function isPair(cert: string, key: string): boolean {
  const [own] = certificatesIn(readFileSync(cert, 'utf8'));
  return own !== undefined && new X509Certificate(own).checkPrivateKey(createPrivateKey(readFileSync(key, 'utf8')));
}

const UNTRUSTED = 'it is signed by a CA that is not known here';

/** Node's reasons to refuse a server's certificate: by code, or by text where a driver has replaced the code. */
const SERVER_REASONS: readonly (readonly [RegExp, string])[] = [
  [/CERT_HAS_EXPIRED|certificate has expired/, 'it has expired'],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/, 'it is not valid yet: compare the clocks'],
  [/CERT_REVOKED|certificate revoked$/, 'it was revoked'],
  [/DEPTH_ZERO_SELF_SIGNED_CERT|self-signed certificate$/, 'it is self-signed'],
  [/SELF_SIGNED_CERT_IN_CHAIN|self-signed certificate in/, `${UNTRUSTED} (self-signed, in its chain)`],
  [/UNABLE_TO_(VERIFY|GET)|unable to (verify|get)/, UNTRUSTED],
  [/CERT_SIGNATURE_FAILURE|certificate signature failure/, `${UNTRUSTED} (its signature does not match)`],
  [/INVALID_PURPOSE|unsuitable certificate purpose/, 'it is not meant for servers'],
  [/ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate/, 'it is for another host name'],
];

/** Alerts by which a server refuses this process's certificate, or its absence. */
const CLIENT_REASONS: readonly (readonly [RegExp, string])[] = [
  [/alert certificate required|ALERT_CERTIFICATE_REQUIRED/i, 'it asks for a client certificate'],
  [/alert certificate expired|ALERT_CERTIFICATE_EXPIRED/i, 'the client certificate has expired'],
  [/alert certificate revoked|ALERT_CERTIFICATE_REVOKED/i, 'the client certificate was revoked'],
  [/alert unknown ca|ALERT_UNKNOWN_CA/i, 'the client certificate is signed by a CA that it does not know'],
  [
    /alert (bad|unsupported) certificate|alert certificate unknown|ALERT_(BAD|UNSUPPORTED)_CERTIFICATE|ALERT_CERTIFICATE_UNKNOWN/i,
    'it does not accept the client certificate, or asks for one',
  ],
  [
    /alert handshake failure|ALERT_HANDSHAKE_FAILURE/i,
    'it accepts neither the client certificate, or its absence, nor a common cipher',
  ],
  [/alert protocol version|ALERT_PROTOCOL_VERSION/i, 'it speaks another version of TLS'],
];

/** The server does not speak TLS. */
const NO_TLS = /wrong version number|packet length too long|does not support secure connection/i;

export type TlsFault =
  /** The server's certificate is not accepted here. */
  | { readonly side: 'server'; readonly reason: string }
  /** The server does not accept this client's certificate. */
  | { readonly side: 'client'; readonly reason: string }
  /** The server does not speak TLS at this port. */
  | { readonly side: 'none'; readonly reason: string };

/** What is wrong with TLS, according to an error of a connection or one of its causes; undefined: nothing known. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', message, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  const found = (table: typeof SERVER_REASONS) => table.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
  const refused = found(CLIENT_REASONS);
  if (refused !== undefined) return { side: 'client', reason: refused };
  const known = found(SERVER_REASONS);
  if (known !== undefined) return { side: 'server', reason: `${known}${altName(message)}` };
  if (NO_TLS.test(message)) return { side: 'none', reason: 'it speaks no TLS there' };
  return tlsFaultOf(cause);
}

/** The names that the certificate is for, in Node's words. */
function altName(message: string): string {
  const [, names] = /altnames: (.+)$/.exec(message) ?? [];
  return names === undefined ? '' : ` (${names})`;
}

/** Names of settings, with the prefix, for messages about TLS. */
export interface TlsSettings {
  readonly ca: string;
  readonly cert: string;
  /** The setting that turns TLS on. */
  readonly tls: string;
}

/** Says for people whose certificate is refused, why, and what to set. @param server its kind and address */
export function tlsSentence(fault: TlsFault, server: string, { ca, cert, tls }: TlsSettings): string {
  switch (fault.side) {
    case 'server':
      return `The certificate of ${server} is refused: ${fault.reason}. Fix it there, or set ${ca} to the file of the CA that signed it.`;
    case 'client':
      return `${server} refuses the TLS handshake: ${fault.reason}. Look at ${cert}.`;
    case 'none':
      return `${server} cannot be reached by TLS: ${fault.reason}. Fix ${tls}.`;
  }
}
