import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { createGroup, joinGroup } from '../../src/tools/reference-site/groups.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool } from '../../src/tools/reference-site/pools.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import type { Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshRedis } from '../support/stores.ts';
import { leaveOutUploads } from '../support/without-uploads.ts';

const [USER, CONTACT] = ['1', '2'];

let settings: Settings & { MYSQL_URL: string };
let pool: Pool;
let group: string;

/** One user with a contact and a group, which has the contact's photo. The outbox is empty. */
beforeAll(async () => {
  settings = await serviceSettings('streams', [CONTACTS, GROUPS]);
  pool = freshSitePool(settings.MYSQL_URL);
  await createUsers(pool, [USER, CONTACT]);
  group = await createGroup(pool);
  await addToPool(pool, group, await uploadPhoto(pool, CONTACT, 0, 200), 200);
  await joinGroup(pool, USER, group, 1);
  await addContact(pool, USER, CONTACT);
  await pool.query('DELETE FROM recency_outbox');
});

const run = (line: string, changes: Settings = {}) => runInProcess(line.split(' '), { ...settings, ...changes });
const last = ({ json }: Awaited<ReturnType<typeof run>>) => json().at(-1);

describe('--kind groups', () => {
  it('backfill builds the indexes of groups alone', async () => {
    const found = await run('backfill --kind groups --json');
    expect(found.code).toBe(0);
    expect(last(found)).toMatchObject({ users: 1, rebuilt: 1 });
    expect((await run(`inspect ${USER} --json`)).json()[0]).toMatchObject({ state: 'cold' });
  });

  it('inspect shows the index of groups, as JSON and as a table', async () => {
    const { code, json } = await run(`inspect ${USER} --kind groups --json`);
    expect(code).toBe(0);
    expect(json()[0]).toMatchObject({ user: USER, state: 'warm', members: [{ id: group }] });
    expect((await run(`inspect ${USER} --kind groups`)).stdout).toMatch(/group +last upload/);
  });

  it('explain speaks of the group, and names its keys', async () => {
    const names = new KeyNames(String(settings.KEY_PREFIX), GROUPS);
    const [found] = (await run(`explain ${USER} ${group} --kind groups --json`)).json();
    expect(found).toMatchObject({ group, in_index: true, keys: [names.set(USER), names.meta(USER)] });
    expect(found).not.toHaveProperty('contact');
    const { stdout } = await run(`explain ${USER} 99 --kind groups`);
    expect(stdout).toContain('The user does not have this group');
    expect(stdout).toMatch(/Index: warm, 1 groups, /);
    expect(stdout).not.toContain('contact');
  });

  it('verify finds what is wrong in groups, and repair mends it; that of contacts is left out', async () => {
    const redis = await freshRedis();
    await redis.zadd(new KeyNames(String(settings.KEY_PREFIX), GROUPS).set(USER), 5, group);
    const wrong = await run('verify --kind groups --json');
    expect(wrong.code).toBe(3);
    expect(last(wrong)).toMatchObject({ users: 1, warm: 1, wrong: 1, classes: { score: 1 } });
    expect(last(await run('repair --kind groups --json'))).toMatchObject({ wrong: 1, repaired: 1, still_wrong: 0 });
    const right = await run('verify --kind groups --json');
    expect({ code: right.code, ...last(right) }).toMatchObject({ code: 0, users: 1, wrong: 0, answers_wrong: 0 });
    expect(last(await run('verify --kind contacts --json'))).toMatchObject({ users: 1, warm: 0, cold: 1 });
  });

  it('verify and repair say where the last uploads of each kind come from', async () => {
    expect(last(await run('verify --kind groups --json')).last_uploads).toEqual({ groups: 'column' });
    await leaveOutUploads(settings.MYSQL_URL, [GROUPS]);
    for (const command of ['verify', 'repair --dry-run']) {
      expect(last(await run(`${command} --json`)).last_uploads).toEqual({ contacts: 'column', groups: 'photos' });
      const { stdout } = await run(command);
      expect(stdout).toContain('Last uploads of contacts: the column last_upload_at of recency_contacts.');
      expect(stdout).toContain(
        'Last uploads of groups: derived from recency_group_photos, because recency_groups has no',
      );
    }
  });
});

describe('all kinds', () => {
  it('doctor checks the views of both', async () => {
    const { json } = await run('doctor --json');
    const found = json().flatMap((one) => one.findings ?? [one]);
    const mysql = found.filter(({ area, check }) => area === 'mysql' && check.startsWith('last uploads'));
    expect(mysql.map(({ check, state }) => [check, state])).toEqual([
      ['last uploads', 'fine'],
      ['last uploads of groups', 'fine'],
    ]);
  });

  it('a new epoch makes the indexes of both cold, and forget drops both', async () => {
    const states = async () => {
      const found = [await run(`inspect ${USER} --json`), await run(`inspect ${USER} --kind groups --json`)];
      return found.map(({ json }) => [json()[0].state, json()[0].epoch_current]);
    };
    await run('backfill');
    expect(await states()).toEqual([
      ['warm', true],
      ['warm', true],
    ]);
    expect((await run('epoch bump --why test')).code).toBe(0);
    expect(await states()).toEqual([
      ['warm', false],
      ['warm', false],
    ]);
    await run('backfill');
    expect((await run(`forget ${USER}`)).code).toBe(0);
    expect(await states()).toEqual([
      ['cold', null],
      ['cold', null],
    ]);
  });
});

describe('a wrong --kind', () => {
  const commands = ['backfill', 'verify', 'repair', `inspect ${USER}`, `explain ${USER} 2`];

  it.each(commands)('of %s is a usage error that names the choices', async (command) => {
    const { code, stderr } = await run(`${command} --kind friends`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/'--kind <name>' argument 'friends' is invalid\. Allowed choices are contacts, groups\./);
  });

  it.each(commands)('of %s that is not in use is a usage error that names those in use', async (command) => {
    const { code, stderr } = await run(`${command} --kind groups`, { KINDS: 'contacts' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/groups is not in use; RECENCY_KINDS names contacts/);
  });
});
