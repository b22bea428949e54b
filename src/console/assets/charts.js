// Draws the charts of the last hour, and keeps them up to date. Their numbers are in tables, with or without this script.

const EVERY_MS = 5_000;
const WITHIN_MS = 10_000;
/** An hour of samples. */
const KEPT = 720;
const HEIGHT = 130;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const COLOURS = 6;

const { uPlot } = globalThis;
const root = document.documentElement;
const figures = [...document.querySelectorAll('[data-chart]')];
/** Times in ms, and by the name of a chart the values of its lines. */
const history = { at: [], charts: {} };
const plots = new Map();

if (figures.length > 0 && uPlot !== undefined) start();

function start() {
  const redraw = () => {
    for (const figure of figures) draw(figure);
  };
  update().catch(() => undefined);
  setInterval(() => {
    if (!document.hidden && !('paused' in root.dataset)) update().catch(() => undefined);
  }, EVERY_MS);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) plots.get(target.parentElement)?.plot.setSize(sizeOf(target));
  });
  for (const figure of figures) sizes.observe(figure.querySelector('.plot'));
}

/** Asks for what is new. */
async function update() {
  const after = history.at.at(-1) ?? 0;
  const response = await fetch(`/console/history?after=${after}`, { signal: AbortSignal.timeout(WITHIN_MS) });
  if (!response.ok) return;
  append(await response.json());
  for (const figure of figures) {
    draw(figure);
    tell(figure);
  }
}

/** A line that is new was not there before, and one that is there no longer is not known now. */
function append({ at, charts }) {
  const [before, added] = [history.at.length, at.length];
  const nothing = (length) => new Array(length).fill(null);
  history.at = [...history.at, ...at].slice(-KEPT);
  for (const [name, lines] of Object.entries(charts)) {
    const known = new Map(history.charts[name] ?? []);
    const fresh = new Map(lines.map((line) => [line.name, line.values]));
    const names = [...new Set([...known.keys(), ...fresh.keys()])];
    const joined = names.map((line) => {
      const values = [...(known.get(line) ?? nothing(before)), ...(fresh.get(line) ?? nothing(added))];
      return [line, values.slice(-KEPT)];
    });
    history.charts[name] = joined;
  }
}

const sizeOf = (plot) => ({ width: Math.max(200, plot.clientWidth), height: HEIGHT });
const linesOf = (figure) => history.charts[figure.dataset.chart] ?? [];

function draw(figure) {
  const lines = linesOf(figure);
  const style = getComputedStyle(root);
  const look = `${lines.map(([name]) => name)} ${style.getPropertyValue('--ink')} ${style.colorScheme} ${isDark()}`;
  const data = [history.at.map((ms) => ms / 1_000), ...lines.map(([, values]) => values)];
  const drawn = plots.get(figure);
  if (drawn?.look === look) {
    drawn.plot.setData(data);
    return;
  }
  drawn?.plot.destroy();
  const target = figure.querySelector('.plot');
  plots.set(figure, { look, plot: new uPlot(optionsOf(target, lines), data, target) });
}

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

/** A colour of the style sheet, as the canvas takes it: it knows no light-dark(). */
function colour(of, name) {
  of.style.setProperty('color', `var(${name})`);
  const { color } = getComputedStyle(of);
  of.style.removeProperty('color');
  return color;
}

function optionsOf(target, lines) {
  const [ink, grid] = [colour(target, '--quiet'), colour(target, '--line')];
  const axis = {
    stroke: ink,
    font: '12px system-ui, sans-serif',
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
  };
  return {
    ...sizeOf(target),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [(plot) => tell(target.parentElement, plot.cursor.idx ?? undefined)] },
    scales: { x: { range: () => span() }, y: { range: (_plot, _least, most) => [0, (most || 1) * 1.1] } },
    axes: [
      {
        ...axis,
        size: 24,
        space: 70,
        values: (_plot, seconds, _axis, _space, step) => seconds.map((at) => clock(at, step)),
      },
      { ...axis, size: 48, space: 30 },
    ],
    series: [
      {},
      ...lines.map(([label], i) => ({
        label,
        stroke: colour(target, `--line-${i % COLOURS}`),
        dash: DASHES[i % DASHES.length],
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
}

/** The hour, or what is known of it: five minutes at least. In seconds, from and to. */
function span() {
  const end = (history.at.at(-1) ?? Date.now()) / 1_000;
  return [Math.min((history.at[0] ?? Number.POSITIVE_INFINITY) / 1_000, end - 300), end];
}

/** @param step seconds from one to the next */
const clock = (seconds, step) => `${new Date(seconds * 1_000).toISOString().slice(11, step < 60 ? 19 : 16)}Z`;

/** Writes the numbers: now, or when the pointer says, and the least and the most of the hour. */
function tell(figure, place = history.at.length - 1) {
  const body = figure.querySelector('tbody');
  const at = history.at[place];
  const isNow = place === history.at.length - 1 || at === undefined;
  figure.querySelectorAll('thead th')[1].textContent = isNow ? 'now' : clock(at / 1_000, 1);
  const rows = linesOf(figure).map(([name, values], i) => rowOf(name, values, place, i));
  body.replaceChildren(...rows);
  const spoken = [...rows].map(
    ({ cells: [name, now, least, most] }) =>
      `${name.textContent} ${now.textContent}, least ${least.textContent}, most ${most.textContent}`,
  );
  const title = figure.querySelector('caption').textContent;
  if (isNow)
    figure.querySelector('.plot').setAttribute('aria-label', `${title}: ${spoken.join('; ') || 'not known yet'}`);
}

function rowOf(name, values, place, i) {
  const known = values.filter((value) => value !== null);
  const row = document.createElement('tr');
  const heading = document.createElement('th');
  heading.scope = 'row';
  const mark = document.createElement('span');
  mark.className = `mark-${i % COLOURS}`;
  heading.append(mark, name);
  row.append(heading);
  for (const value of [
    values[place],
    ...(known.length > 0 ? [Math.min(...known), Math.max(...known)] : [null, null]),
  ]) {
    const cell = document.createElement('td');
    cell.className = 'number';
    cell.textContent = value ?? '–';
    row.append(cell);
  }
  return row;
}
