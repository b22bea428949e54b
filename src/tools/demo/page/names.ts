import type { Id } from '../../../contracts/id.ts';
import { type Random, seededRandom } from '../random.ts';

const FIRST_NAMES = [
  ...['Ada', 'Akira', 'Alma', 'Amara', 'Anton', 'Aylin', 'Bela', 'Bruno', 'Carmen', 'Chidi', 'Clara', 'Dana'],
  ...['Diego', 'Elif', 'Emil', 'Esra', 'Farah', 'Finn', 'Freya', 'Goran', 'Greta', 'Hana', 'Hugo', 'Ida'],
  ...['Ilya', 'Imani', 'Iris', 'Ivo', 'Jana', 'Jonas', 'Kaito', 'Kira', 'Kofi', 'Lara', 'Leo', 'Lina'],
  ...['Luca', 'Maia', 'Malik', 'Mara', 'Mateo', 'Mei', 'Milan', 'Mona', 'Nadia', 'Nils', 'Noor', 'Olga'],
  ...['Omar', 'Oskar', 'Paula', 'Pavel', 'Priya', 'Quinn', 'Rafael', 'Ravi', 'Rosa', 'Ruth', 'Sami', 'Selma'],
  ...['Sofia', 'Tariq', 'Tessa', 'Theo', 'Uma', 'Vera', 'Viktor', 'Wanda', 'Yara', 'Yusuf', 'Zoe', 'Zora'],
];

/** What a person is called: always the same for an id, a few people share a name. */
export function nameOf(id: Id): string {
  const random = randomOf(id, 'name');
  const first = FIRST_NAMES[Math.floor(random() * FIRST_NAMES.length)] ?? '';
  return `${first} ${String.fromCharCode(65 + Math.floor(random() * 26))}.`;
}

/** The same numbers for the same id. @param purpose another one has other numbers */
export function randomOf(id: Id, purpose: string): Random {
  let hash = 0x811c9dc5; // FNV-1a
  for (const character of `${purpose} ${id}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return seededRandom(hash);
}
