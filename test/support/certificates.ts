import 'reflect-metadata'; // required by @peculiar/x509
import { KeyObject, webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

// Made by a library: node:crypto reads certificates and makes none, and not every machine has openssl.
x509.cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

type Keys = webcrypto.CryptoKeyPair;

const DAY_MS = 24 * 3600 * 1000;

/** Paths of one certificate's files. */
export interface CertificateFiles {
  readonly cert: string;
  /** PKCS #8, in PEM. */
  readonly key: string;
  /** Key and certificate, as Kafka's PEM key stores expect them. */
  readonly both: string;
}

interface Issued {
  /** The subject. */
  readonly name: string;
  /** Host names and addresses; none for a client. */
  readonly hosts?: readonly string[];
  /** Validity from now, ms; negative: it has expired. */
  readonly lastsMs?: number;
}

/** A CA for one test file, with a folder for all that it issues. */
export class TestCa {
  readonly folder = mkdtempSync(join(tmpdir(), 'recency-ca-'));
  readonly #keys: Keys;
  readonly #root: x509.X509Certificate;

  private constructor(keys: Keys, root: x509.X509Certificate) {
    this.#keys = keys;
    this.#root = root;
    writeFileSync(this.file, root.toString('pem'));
  }

  static async create(name = 'Test CA'): Promise<TestCa> {
    const keys = await newKeys();
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      ...validity(DAY_MS),
      name: `CN=${name}`,
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
    });
    return new TestCa(keys, root);
  }

  /** The CA's own certificate. */
  get file(): string {
    return join(this.folder, 'ca.pem');
  }

  /** @param file its name, without an ending */
  async issue(file: string, { name, hosts = [], lastsMs = DAY_MS }: Issued): Promise<CertificateFiles> {
    const keys = await newKeys();
    const names = hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }) as const);
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(lastsMs),
      subject: `CN=${name}`,
      issuer: this.#root.subject,
      signingAlgorithm: ALGORITHM,
      signingKey: this.#keys.privateKey,
      publicKey: keys.publicKey,
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ],
    });
    return this.#write(file, certificate, keys);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  #write(file: string, certificate: x509.X509Certificate, keys: Keys): CertificateFiles {
    const at = (ending: string) => join(this.folder, `${file}.${ending}`);
    const [cert, key] = [certificate.toString('pem'), pemOf(keys.privateKey)];
    writeFileSync(at('crt'), `${cert}\n`);
    writeFileSync(at('key'), key);
    writeFileSync(at('pem'), `${key}${cert}\n${this.#root.toString('pem')}\n`);
    return { cert: at('crt'), key: at('key'), both: at('pem') };
  }
}

function newKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** Tolerates clocks that are slightly off. */
function validity(lastsMs: number) {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + lastsMs) };
}

function pemOf(key: webcrypto.CryptoKey): string {
  return String(KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }));
}
