import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const read = (file: string) => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');

/** The dashboard, as far as the tests look into it. */
export interface DashboardFile {
  readonly uid: string;
  readonly annotations: {
    readonly list: readonly { readonly name: string; readonly target: { readonly expr: string } }[];
  };
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly DashboardPanel[];
}

export interface DashboardPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export const dashboardText = read('grafana/recency.json');
export const dashboard = JSON.parse(dashboardText) as DashboardFile;

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

export const alertRules = (parse(read('prometheus/rules.yaml')) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

export interface AlertCase {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

export const alertCases = (parse(read('prometheus/tests.yaml')) as { tests: AlertCase[] }).tests.flatMap(
  ({ alert_rule_test: cases }) => cases,
);

/** Every expression of the dashboard and the rules, with where it is, and the labels that its legend shows. */
export const expressions: readonly {
  readonly where: string;
  readonly expr: string;
  readonly shown: readonly string[];
}[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      return { where: `panel ${title}`, expr: withoutVariables(expr), shown };
    }),
  ),
  ...dashboard.annotations.list.map(({ name, target: { expr } }) => ({ where: `annotation ${name}`, expr, shown: [] })),
  ...alertRules.map(({ alert, expr, annotations }) => {
    const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    return { where: `alert ${alert}`, expr, shown };
  }),
];

/** What Grafana puts in for its own variables. */
function withoutVariables(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m');
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly op: string; readonly value: string }[];
}

export interface ParsedQuery {
  readonly selectors: readonly Selector[];
  /** By which it groups. */
  readonly labels: readonly string[];
}

/** Parses an expression with Prometheus' own grammar. @throws Error which names what is wrong */
export function parseQuery(expr: string): ParsedQuery {
  const selectors: { metric: string; matchers: { label: string; op: string; value: string }[] }[] = [];
  const labels: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expr.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expr}`);
      if (type.name === 'VectorSelector') {
        const name = node.getChild('Identifier');
        selectors.push({ metric: name === null ? '' : expr.slice(name.from, name.to), matchers: [] });
      }
      if (type.name === 'UnquotedLabelMatcher') {
        const [, label = '', op = '', value = ''] = /^\s*(\w+)\s*(=~|!~|!=|=)\s*"(.*)"\s*$/s.exec(text) ?? [];
        selectors.at(-1)?.matchers.push({ label, op, value });
      }
      if (type.name === 'LabelName' && node.parent?.name === 'GroupingLabels') labels.push(text);
    },
  });
  return { selectors, labels };
}
