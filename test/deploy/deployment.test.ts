/** Deployment files: container image, compose.yaml, S3 bucket script, Grafana dashboard, alerts. */
import { execFile } from 'node:child_process';
import { access, readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT } from '../../src/cli/generate/files.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { settings } from '../../src/platform/config/settings/index.js';
import { openImageStore } from '../../src/services/images/store.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { scrape } from '../support/metrics.js';
import { startS3 } from '../support/s3.js';

const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

describe('The container image', () => {
  it('imports no development dependencies', async () => {
    const dependencies: Record<string, string> = {};
    for (const path of ['package.json', 'deploy/optional/package.json'])
      Object.assign(dependencies, JSON.parse(await read(path)).dependencies);
    const missing = new Set<string>();
    for (const folder of ['dist/src/', 'dist/migrations/', 'bin/']) {
      for (const file of await scriptsIn(folder)) {
        for (const name of packagesIn(await read(folder + file)))
          if (!dependencies[name]) missing.add(`${file}: ${name}`);
      }
    }
    expect([...missing]).to.deep.equal([]);
  });

  it('loads the OpenTelemetry SDK only when tracing starts', async () => {
    const users = new Set<string>();
    for (const file of await scriptsIn('dist/src/')) {
      const text = await read(`dist/src/${file}`);
      const isSdk = (name: string) => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api';
      if (packagesIn(text).some(isSdk)) users.add(file);
      if (packagesIn(text.replace(/\bimport\(.*?\)/g, '')).some(isSdk)) users.add(`${file} statically`);
    }
    expect([...users]).to.deep.equal(['platform/observability/tracing/start.js']);
  });

  it('copies only files that exist and that .dockerignore allows', async () => {
    const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    const allowed = (await read('.dockerignore')).match(/(?<=^!).*/gm) ?? [];
    expect(copied).to.include.members(['package.json', 'src', 'bin']);
    for (const name of copied) {
      await access(new URL(name, ROOT));
      expect(allowed, name).to.include(name);
    }
  });

  it('contains the files outside dist that the code reads', async () => {
    const needed = new Set<string>();
    for (const file of await scriptsIn('dist/src/')) {
      // From dist/src/pages/pages.js, three folders up is the root.
      for (const [, up = '', name = ''] of (await read(`dist/src/${file}`)).matchAll(/\('((?:\.\.\/)+)([\w.-]+)/g)) {
        if (up.length / 3 === `dist/src/${file}`.split('/').length - 1) needed.add(name);
      }
    }
    expect([...needed]).to.include.members(['package.json', 'public']);
    const [, last = ''] = (await read('Dockerfile')).split(/^FROM \$\{NODE_IMAGE\}$/m);
    for (const name of needed) expect(last, name).to.match(new RegExp(`^COPY .*\\b${name}\\b`, 'm'));
  });

  it('runs as a non-root user, with a health check and no secrets', async () => {
    const [, last = ''] = (await read('Dockerfile')).split(/^FROM \$\{NODE_IMAGE\}$/m);
    expect(last)
      .to.match(/^USER node$/m)
      .and.match(/^HEALTHCHECK /m)
      .and.match(/^STOPSIGNAL SIGTERM$/m);
    expect(last).to.not.match(/SECRET|PASSWORD|TOKEN/);
  });
});

describe('compose.yaml', () => {
  it('uses only variables of deploy/daybook.env.example and existing settings', async () => {
    const compose = await read('compose.yaml');
    const example = (await read('deploy/daybook.env.example')).match(/^[A-Z][A-Z0-9_]*(?==)/gm) ?? [];
    const variables = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(example).to.include.members([...new Set(variables)]);
    const known = [...Object.keys(settings), 'POSTGRES_PASSWORD'];
    expect(known).to.include.members([...example]);
    const own = /^x-daybook:[\s\S]*? {2}environment:\n((?: {4}.*\n)+)/m.exec(compose)?.[1] ?? '';
    const set = own.match(/(?<=^ {4})[A-Z][A-Z0-9_]*(?=:)/gm) ?? [];
    expect(set).to.include('DATABASE_URL');
    expect(known).to.include.members([...set]);
  });

  it('has no secret values in its example file', async () => {
    const values = (await read('deploy/daybook.env.example')).match(
      /(?<=^\w*(?:PASSWORD|SECRET|TOKEN|KEY|KEY_ID)=).*/gm,
    );
    expect(values).to.deep.equal(['', '', '', '', '']);
  });

  it('creates the bucket once', async () => {
    const s3 = await startS3();
    try {
      const environment = { PATH: process.env.PATH, S3_BUCKET: 'new-bucket', ...s3.environment };
      const make = async () => {
        const script = fileURLToPath(new URL('deploy/create-bucket.js', ROOT));
        return (await promisify(execFile)(process.execPath, [script], { env: environment })).stdout;
      };
      expect(await make()).to.equal('Created the bucket new-bucket.\n');
      expect(await make()).to.equal('The bucket new-bucket already exists.\n');
      const store = await openImageStore(loadConfig({ ...environment, STORAGE: 's3' }).imageStore);
      const key = await store.save({ image: Buffer.from('full'), sizes: [] });
      expect((await store.read(`${key}.webp`))?.size).to.equal(4);
    } finally {
      await s3.stop();
    }
  });
});

/** Metrics that show that a process is near its limits. */
const WATCHED = [
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'daybook_http_buffered_bytes',
  'daybook_queue_waiting',
  'daybook_queue_rejected_total',
  'daybook_limits_reached_total',
];

describe('deploy/grafana-dashboard.json', () => {
  const app = useApp();

  it('queries only metrics that the service exports', async () => {
    const dashboard = JSON.parse(await read('deploy/grafana-dashboard.json')) as Dashboard;
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    await expectMetrics(expressions, WATCHED);
  });

  it('has alert rules in docs/deploy.md that use only metrics the service exports', async () => {
    const rows = (await read('docs/deploy.md')).match(/^\| `[^`]+ > [^`]+`/gm) ?? [];
    await expectMetrics(rows, WATCHED);
  });

  it('has these alerts, with the same times, in deploy/prometheus-rules.yml', async () => {
    const { groups } = parse(await read('deploy/prometheus-rules.yml')) as { groups: RuleGroup[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
    for (const { alert, annotations, labels } of rules) {
      expect(alert).to.match(/^Daybook[A-Za-z]+$/);
      expect([typeof annotations.summary, typeof labels.severity], alert).to.deep.equal(['string', 'string']);
    }
    const times: Record<string, string> = { 'a minute': '1m', 'five minutes': '5m' };
    const rows = [...(await read('docs/deploy.md')).matchAll(/^\| `([^`]+ > [^`]+)`(?: for ([a-z ]+))? \|/gm)];
    const documented = rows.map(([, expr = '', time]) => [expr.replaceAll('\\|', '|'), time && times[time]]);
    expect(rules.map((rule) => [rule.expr, rule.for])).to.deep.equal(documented);
    await expectMetrics(
      rules.map(({ expr }) => expr),
      WATCHED,
    );
  });

  /** @param wanted metrics that must be among those of the expressions */
  async function expectMetrics(expressions: string[], wanted: string[]): Promise<void> {
    await buildArticle(app.url);
    const { text } = await scrape(app.url);
    const names = new Set(expressions.flatMap(metricsIn));
    expect([...names]).to.include.members(wanted);
    const missing = [...names].filter((name) => {
      const family = name.replace(/_(?:bucket|sum|count)$/, '');
      return !new RegExp(`^# TYPE (?:${name}|${family}) `, 'm').test(text);
    });
    expect(missing, 'metrics that the service does not have').to.deep.equal([]);
  }

  it('shows every daybook_ metric that the service exports', async () => {
    const { text } = await scrape(app.url);
    const dashboard = await read('deploy/grafana-dashboard.json');
    const own = text.match(/(?<=^# TYPE )daybook_\w+/gm) ?? [];
    for (const name of own) expect(dashboard, name).to.contain(name);
  });
});

interface RuleGroup {
  rules: {
    alert: string;
    expr: string;
    for?: string;
    labels: { severity: string };
    annotations: { summary: string };
  }[];
}

interface Dashboard {
  panels: { targets?: { expr: string }[] }[];
}

/** Metric names contain an underscore; labels are in braces, or in parentheses after `by`. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}/g, '')
    .replace(/\bby \([^)]*\)/g, '')
    .replace(/\$\w+/g, '');
  return (bare.match(/\b[a-z]\w*_\w+\b/g) ?? []).filter((name) => name !== 'histogram_quantile');
}

async function scriptsIn(folder: string): Promise<string[]> {
  const files = await readdir(new URL(folder, ROOT), { recursive: true });
  return files.filter((file) => file.endsWith('.js'));
}

/** The packages that a compiled file imports, without those of Node. */
function packagesIn(text: string): string[] {
  const specifiers = [
    ...text.matchAll(/^(?:import|export) (?:[^\n'"]* from )?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm),
  ];
  const names = specifiers.map(([, fixed, late]) => fixed ?? late ?? '');
  return names.filter((name) => !name.startsWith('.') && !isBuiltin(name)).map(packageOf);
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
