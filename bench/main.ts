/** Comment benchmark: generates the data, starts the contenders, measures them in turn and prints the report. */
import { type Aim, judge } from './aims.js';
import { type CaseKey, type CommentCase, casesOf } from './cases.js';
import { startContenders } from './contenders.js';
import { prepareData } from './data.js';
import { type Load, measure } from './measure.js';
import { LOAD_OPTIONS } from './options.js';
import { describeMachine, linesOf, makeReport, type Report } from './report.js';
import type { Urls } from './requests.js';
import { type AtEnd, log, runBenchmark, startPostgres } from './session.js';

interface CommentsReport extends Report<CommentCase> {
  aims: Aim[];
}

/** Comments of the baseline for the growth measurement. */
const SMALL = 10_000;

await runBenchmark({
  numbers: { comments: ['comments in the larger data set', 1_000_000, 1000, 50_000_000], ...LOAD_OPTIONS },
  run,
  toText,
});

async function run({ comments, ...load }: Load & { comments: number }, atEnd: AtEnd): Promise<CommentsReport> {
  const postgresUrl = await startPostgres(atEnd);
  const machine = await describeMachine(postgresUrl);
  const cases: { case: CommentCase; urls: Urls }[] = [];
  for (const size of comments > SMALL ? [comments, SMALL] : [comments]) {
    log(`Preparing ${size.toLocaleString('en')} comments.`);
    const data = await prepareData(postgresUrl, size);
    const urls = await startContenders(data, atEnd);
    const keys: CaseKey[] = size === comments ? ['hot', 'random', 'deep'] : ['hot', 'random'];
    cases.push(...casesOf(data, keys).map((one) => ({ case: one, urls })));
  }
  const measured = await measure(cases, load);
  return { ...makeReport(machine, load, measured), aims: judge(measured, comments) };
}

function toText({ aims, ...report }: CommentsReport): string {
  const most = Math.max(...report.cases.map(({ comments }) => comments));
  const results = aims.map((aim) => `  ${aim.isMet ? 'met  ' : 'short'}  ${aim.measured.toFixed(2)}  ${aim.aim}`);
  return [...linesOf(report, `${most.toLocaleString('en')} comments`), '', 'Aims', ...results, ''].join('\n');
}
