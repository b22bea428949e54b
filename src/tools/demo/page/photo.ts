import type { Id } from '../../../contracts/id.ts';
import { between, pick, type Random } from '../random.ts';
import { randomOf } from './names.ts';

/** What photos show: the middle part of an SVG of 120 × 90. */
const SCENES: readonly (readonly [title: string, draw: (random: Random, hue: number) => string])[] = [
  ['hills', hills],
  ['a sailing boat', sea],
  ['a city at night', city],
  ['a forest', forest],
  ['a balloon', balloon],
];

/** A drawn photo, as an SVG file: always the same for an id. */
export function photoSvg(id: Id): string {
  const random = randomOf(id, 'photo');
  const [, draw] = pick(random, SCENES);
  const scene = draw(random, between(random, 0, 359));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 90" width="120" height="90">${scene}</svg>`;
}

/** What a photo shows, for those who do not see it. */
export function photoTitle(id: Id): string {
  return pick(randomOf(id, 'photo'), SCENES)[0];
}

function hills(random: Random, hue: number): string {
  const [sunX, sunY] = [between(random, 15, 105), between(random, 14, 34)];
  const [far, near] = [between(random, 30, 50), between(random, 52, 66)];
  return [
    rectangle(0, 0, 120, 90, `hsl(${hue} 70% 85%)`),
    `<circle cx="${sunX}" cy="${sunY}" r="${between(random, 7, 12)}" fill="#fff3c4"/>`,
    `<path d="M0 ${far + 10}Q30 ${far - 18} 60 ${far + 6}T120 ${far}V90H0z" fill="hsl(${(hue + 100) % 360} 30% 62%)"/>`,
    `<path d="M0 ${near}Q40 ${near - 16} 75 ${near + 4}T120 ${near - 6}V90H0z" fill="hsl(${(hue + 110) % 360} 38% 42%)"/>`,
  ].join('');
}

function sea(random: Random, hue: number): string {
  const [horizon, x] = [between(random, 40, 52), between(random, 25, 90)];
  const deck = horizon + 10;
  return [
    rectangle(0, 0, 120, 90, `hsl(${(hue % 60) + 190} 70% 82%)`),
    rectangle(0, horizon, 120, 90 - horizon, `hsl(${(hue % 40) + 195} 60% 42%)`),
    `<path d="M${x - 14} ${deck}h28l-5 8h-18z" fill="#7b4a2d"/>`,
    `<path d="M${x} ${deck - 2}V${deck - 30}l14 26z" fill="#fff"/>`,
    `<path d="M${x - 2} ${deck - 2}V${deck - 24}l-11 22z" fill="hsl(${hue} 75% 60%)"/>`,
    `<path d="M0 ${deck + 14}q10-5 20 0t20 0 20 0 20 0 20 0 20 0" fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="2"/>`,
  ].join('');
}

function city(random: Random, hue: number): string {
  const houses = Array.from({ length: 7 }, (_, i) => {
    const height = between(random, 22, 62);
    const windows = Array.from({ length: Math.floor(height / 12) }, (_, row) =>
      rectangle(i * 17 + 5, 90 - height + 5 + row * 12, 4, 5, random() < 0.6 ? '#ffe08a' : '#39406b'),
    );
    return (
      rectangle(i * 17 + 1, 90 - height, 15, height, `hsl(${(hue + 230) % 360} 25% ${22 + i}%)`) + windows.join('')
    );
  });
  const moon = `<circle cx="${between(random, 20, 100)}" cy="15" r="8" fill="#fdf6d8"/>`;
  return rectangle(0, 0, 120, 90, `hsl(${(hue % 80) + 220} 45% 32%)`) + moon + houses.join('');
}

function forest(random: Random, hue: number): string {
  const trees = Array.from({ length: 6 }, (_, i) => {
    const [x, top] = [10 + i * 20, between(random, 16, 40)];
    const leaves = `<path d="M${x} ${top}l15 42h-30z" fill="hsl(${between(random, 95, 160)} 40% ${between(random, 26, 42)}%)"/>`;
    return rectangle(x - 2, top + 38, 4, 18, '#6b4a34') + leaves;
  });
  const ground = `<path d="M0 74q60-12 120 0v16H0z" fill="hsl(${(hue % 60) + 70} 40% 55%)"/>`;
  return rectangle(0, 0, 120, 90, `hsl(${(hue % 50) + 20} 75% 86%)`) + trees.join('') + ground;
}

function balloon(random: Random, hue: number): string {
  const [x, y] = [between(random, 35, 85), between(random, 28, 40)];
  return [
    rectangle(0, 0, 120, 90, `hsl(${(hue + 180) % 360} 65% 86%)`),
    `<ellipse cx="${between(random, 10, 40)}" cy="20" rx="16" ry="6" fill="#fff"/>`,
    `<ellipse cx="${between(random, 80, 110)}" cy="62" rx="18" ry="6" fill="#fff"/>`,
    `<circle cx="${x}" cy="${y}" r="21" fill="hsl(${hue} 70% 58%)"/>`,
    `<ellipse cx="${x}" cy="${y}" rx="9" ry="21" fill="hsl(${(hue + 45) % 360} 80% 68%)"/>`,
    `<path d="M${x - 14} ${y + 16}L${x - 5} ${y + 32}h10l9-16" fill="none" stroke="#5b4636" stroke-width="1.2"/>`,
    rectangle(x - 5, y + 31, 10, 8, '#8a5a35'),
  ].join('');
}

function rectangle(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;
}
