import type { Id } from '../../../contracts/id.ts';
import { pick, type Random } from '../random.ts';
import { randomOf } from './names.ts';

const SKINS = ['#f6d7c0', '#eec3a1', '#d9a07a', '#b97a52', '#8f5a3a', '#643c28'];
const HAIRS = ['#2b211d', '#4b3225', '#7a4a26', '#b5803f', '#d8b36a', '#8d8f96', '#a2402b'];

/** Shapes of hair behind and in front of a head whose middle is (32, 27) and whose radius is 13. */
const CUTS: readonly (readonly [behind: string, front: string])[] = [
  ['', 'M19 26a13 13 0 0 1 26 0c-3-6-8-8-13-8s-10 2-13 8z'],
  ['M17 28a15 15 0 0 1 30 0v16H17z', 'M19 27a13 13 0 0 1 26 0c-6-1-11-4-14-8-2 4-6 7-12 8z'],
  ['M16 26a16 16 0 0 1 32 0q2 9-4 11H20q-6-2-4-11z', 'M20 23a12 12 0 0 1 24 0q-12-6-24 0z'],
  ['', 'M19 24q0-12 13-12t13 12q-5-5-10-4t-16 4z'],
  ['M29 9a6 6 0 1 1 6 0z', 'M19 26a13 13 0 0 1 26 0q-6-8-13-8t-13 8z'],
];

const MOUTHS = ['M27 33q5 5 10 0', 'M28 34q4 3 8 0', 'M27 33h10q-1 5-5 5t-5-5z'];

/** A person's drawn face, as an SVG file: always the same for an id. */
export function faceSvg(id: Id): string {
  const random = randomOf(id, 'face');
  const hue = Math.floor(random() * 360);
  const [skin, hair] = [pick(random, SKINS), pick(random, HAIRS)];
  const [behind, front] = pick(random, CUTS);
  const mouth = pick(random, MOUTHS);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">',
    `<rect width="64" height="64" fill="hsl(${hue} 55% 78%)"/>`,
    `<path d="${behind}" fill="${hair}"/>`,
    `<path d="M10 64q2-20 22-20t22 20z" fill="hsl(${(hue + 150) % 360} 45% 45%)"/>`,
    `<path d="M27 36h10v9q-5 5-10 0z" fill="${skin}"/>`,
    `<circle cx="32" cy="27" r="13" fill="${skin}"/>`,
    `<path d="${front}" fill="${hair}"/>`,
    '<circle cx="27" cy="28" r="1.6" fill="#222"/><circle cx="37" cy="28" r="1.6" fill="#222"/>',
    `<path d="${mouth}" fill="${mouth.endsWith('z') ? '#fff' : 'none'}" stroke="#6b2f2a" stroke-width="1.4" stroke-linecap="round"/>`,
    glasses(random),
    '</svg>',
  ].join('');
}

/** One person in four wears some. */
function glasses(random: Random): string {
  if (random() > 0.25) return '';
  return '<path d="M21 28a5 5 0 1 0 10 0a5 5 0 1 0-10 0m12 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0m-2-1h2" fill="none" stroke="#333" stroke-width="1.2"/>';
}
