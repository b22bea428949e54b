import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A chart as text. @param spec in Vega-Lite's own language */
export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const { spec: compiled } = compile({ config: { background: 'white', font: 'sans-serif' }, ...spec });
  const svg = await new View(parse(compiled), { renderer: 'none' }).toSVG();
  return `${svg}\n`;
}
