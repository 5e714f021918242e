/** Automatic summaries: how many of them a member gets from the provider in a day, and in which order they are made. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openModelWithoutBreaker } from '../support/ai-model.js';
import { type Behavior, respond, startAiProvider } from '../support/ai-provider.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { runSummaries } from '../support/jobs.js';
import { freshText, runAttempts, summaryJson, summaryOf } from '../support/summaries.js';

const provider = await startAiProvider();
after(() => provider.close());

const BUDGET = 3;
const environment = { ...provider.environment, AI_MAX_RETRIES: '0', AI_DAILY_BUDGET: String(BUDGET) };
const FROM_PROVIDER = 'Made by the provider.';

describe('The daily budget for automatic summaries', () => {
  const app = useApp(environment, { ai: openModelWithoutBreaker(environment) });

  async function summariesOf(ids: number[]) {
    return Promise.all(ids.map((id) => summaryOf(app.url, id)));
  }

  async function write(author: BuiltMember, content = freshText()): Promise<number> {
    return (await buildArticle(app.url, { content }, author)).id;
  }

  it('limits the calls to the provider; past it, the built-in summarizer makes the summaries', async () => {
    provider.setResponses(respond.withText(summaryJson(FROM_PROVIDER)));
    const author = await buildMember(app.url);
    const ids: number[] = [];
    for (let index = 0; index < 8; index++) ids.push(await write(author));
    await runAttempts(app, 5);
    const summaries = await summariesOf(ids);
    expect(summaries.map(({ status }) => status)).to.deep.equal(Array(8).fill('COMPLETED'));
    expect(summaries.filter(({ aiSummary }) => aiSummary === FROM_PROVIDER)).to.have.length(BUDGET);
    for (const { aiSummary } of summaries) expect(aiSummary).to.match(/Made by the provider\.|texts have been written/);
    expect(provider.requests).to.have.length(BUDGET);
  });

  it('counts edits, but neither the summaries of other members nor those that the author requests', async () => {
    provider.setResponses(respond.withText(summaryJson(FROM_PROVIDER)));
    const author = await buildMember(app.url);
    const id = await write(author);
    for (let edit = 0; edit < 5; edit++) {
      await runAttempts(app, 5);
      const json = { title: 't', content: freshText() };
      await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
    }
    await runAttempts(app, 5);
    expect(provider.requests).to.have.length(BUDGET);
    expect((await summaryOf(app.url, id)).aiSummary).to.match(/texts have been written/);
    await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token });
    await runAttempts(app, 5);
    expect((await summaryOf(app.url, id)).aiSummary, 'requested').to.equal(FROM_PROVIDER);
    const other = await write(await buildMember(app.url));
    await runAttempts(app, 5);
    expect((await summaryOf(app.url, other)).aiSummary, 'of another member').to.equal(FROM_PROVIDER);
  });

  it('is not spent on texts that the provider has summarized before, and such texts need none of it', async () => {
    provider.setResponses(respond.withText(summaryJson(FROM_PROVIDER)));
    const summarized = freshText();
    await write(await buildMember(app.url), summarized);
    await runAttempts(app, 5);
    const author = await buildMember(app.url);
    const ids: number[] = [];
    for (let index = 0; index < BUDGET; index++) ids.push(await write(author, summarized), await write(author));
    ids.push(await write(author, summarized));
    await runAttempts(app, 5);
    const made = (await summariesOf(ids)).map(({ aiSummary }) => aiSummary);
    expect(made).to.deep.equal(ids.map(() => FROM_PROVIDER));
    expect(provider.requests).to.have.length(1 + BUDGET);
  });

  it('is not spent on calls that the provider did not accept', async () => {
    const author = await buildMember(app.url);
    const failures: Behavior[] = [respond.withStatus(500), respond.withStatus(429), respond.withStatus(500)];
    provider.setResponses(...failures, respond.withText(summaryJson(FROM_PROVIDER)));
    const ids = [await write(author)];
    await runAttempts(app, 5);
    for (let index = 1; index < BUDGET; index++) ids.push(await write(author));
    await runAttempts(app, 5);
    const made = (await summariesOf(ids)).map(({ aiSummary }) => aiSummary);
    expect(made).to.deep.equal(ids.map(() => FROM_PROVIDER));
    expect(provider.requests).to.have.length(failures.length + BUDGET);
  });
});

describe('The order of waiting summaries', () => {
  const app = useApp(provider.environment, { ai: openModelWithoutBreaker(provider.environment) });
  beforeEach(() => provider.setResponses(respond.withText(summaryJson(FROM_PROVIDER))));

  /** The authors of the texts that were sent to the provider, in the order of the calls. */
  const order = () => provider.requests.map(({ body }) => /by (\w+)/.exec(body.messages[1].content)?.[1]);

  async function write(author: BuiltMember, name: string, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await buildArticle(app.url, { content: textOfOneQueue(`It is by ${name}.`) }, author);
    }
  }

  it('alternates between authors, so that one member does not delay the others', async () => {
    const [greedy, first, second] = [
      await buildMember(app.url),
      await buildMember(app.url),
      await buildMember(app.url),
    ];
    await write(greedy, 'greedy', 6);
    await write(first, 'first', 2);
    await write(second, 'second', 1);
    await runSummaries(app);
    const rounds = [['greedy', 'first', 'second'], ['greedy', 'first'], Array(4).fill('greedy')];
    expect(order()).to.deep.equal(rounds.flat());
  });

  it('includes a member who starts later in the rotation', async () => {
    const [greedy, late] = [await buildMember(app.url), await buildMember(app.url)];
    await write(greedy, 'greedy', 6);
    const respondWithSummary = respond.withText(summaryJson(FROM_PROVIDER));
    provider.setResponses(
      respondWithSummary,
      respondWithSummary,
      async (response, request) => {
        await write(late, 'late', 2);
        await respondWithSummary(response, request);
      },
      respondWithSummary,
    );
    await runSummaries(app);
    const before = ['greedy', 'greedy', 'greedy'];
    expect(order()).to.deep.equal([...before, 'late', 'greedy', 'late', 'greedy', 'greedy']);
  });

  it('keeps the position of an article that is edited repeatedly', async () => {
    const [other, editor] = [await buildMember(app.url), await buildMember(app.url)];
    await write(other, 'other', 3);
    const { id } = await buildArticle(app.url, {}, editor);
    for (let edit = 0; edit < 4; edit++) {
      const json = { title: 't', content: textOfOneQueue('It is by editor.') };
      await call(app.url, `PUT /api/articles/${id}`, { token: editor.token, json });
    }
    await runSummaries(app);
    expect(order()).to.deep.equal(['other', 'editor', 'other', 'other']);
  });
});

/** Two summaries are made at a time, each from a queue that the hash of the text selects: one queue has one order. */
function textOfOneQueue(end: string): string {
  for (;;) {
    const text = `${freshText()} ${end}`;
    if (createHash('sha256').update(text).digest().readUInt8() % 2 === 0) return text;
  }
}
