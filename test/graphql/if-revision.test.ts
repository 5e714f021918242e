/** The argument `ifRevision` of GraphQL, which has the meaning of the header If-Match. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { buildDraft, schedule, timeIn } from '../support/drafts.js';
import { buildHeldComment, makeModerator } from '../support/held.js';
import { buildReport, queueOf } from '../support/moderation.js';

const app = useApp();

/** A mutation of something that exists. */
interface Conditional {
  /** Its arguments, besides the condition. */
  args: string;
  /** As a literal. */
  current: string;
  other: string;
  by: BuiltMember;
}

describe('ifRevision', () => {
  let author: BuiltMember;
  let moderator: BuiltMember;
  before(async () => {
    [author, moderator] = [await buildMember(app.url), await buildMember(app.url)];
    await makeModerator(app, moderator);
  });

  const ofArticle = async (argsFor: (id: number) => string): Promise<Conditional> => {
    const { id } = await buildArticle(app.url, {}, author);
    await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json: { title: 'Tide', content: 'In.' } });
    return { args: argsFor(id), current: '2', other: '1', by: author };
  };
  const ofComment = async (argsFor: (id: number) => string): Promise<Conditional> => {
    const article = await buildArticle(app.url);
    const { id } = await buildComment(app.url, article.id, {}, author);
    return { args: argsFor(id), current: '1', other: '2', by: author };
  };
  const ofDraft = async (argsFor: (id: number) => string, isScheduled = false): Promise<Conditional> => {
    const draft = await buildDraft(app.url, {}, author);
    if (isScheduled) await schedule(app.url, draft);
    return { args: argsFor(draft.id), current: '1', other: '2', by: author };
  };

  const MUTATIONS: Readonly<Record<string, () => Promise<Conditional>>> = {
    updateArticle: () => ofArticle((id) => `id: ${id}, input: { title: "Tide", content: "Out." }`),
    setVisibility: () => ofArticle((id) => `articleId: ${id}, visibility: PRIVATE`),
    restoreRevision: () => ofArticle((id) => `articleId: ${id}, number: 1`),
    deleteArticle: () => ofArticle((id) => `id: ${id}`),
    updateComment: () => ofComment((id) => `id: ${id}, content: "Changed"`),
    deleteComment: () => ofComment((id) => `id: ${id}`),
    setCommentApproval: async () => {
      const article = await buildArticle(app.url, {}, author);
      const { id } = await buildHeldComment(app.url, article.id);
      return { args: `id: ${id}, approved: true`, current: '1', other: '2', by: author };
    },
    updateDraft: () => ofDraft((id) => `id: ${id}, input: { title: "Ebb", content: "Low." }`),
    deleteDraft: () => ofDraft((id) => `id: ${id}`),
    publishDraft: () => ofDraft((id) => `id: ${id}`),
    scheduleDraft: () => ofDraft((id) => `id: ${id}, publishAt: "${timeIn(3_600)}Z"`),
    unscheduleDraft: () => ofDraft((id) => `id: ${id}`, true),
    decide: async () => {
      const article = await buildArticle(app.url);
      const { id } = await buildComment(app.url, article.id);
      await buildReport(app.url, author, { commentId: id });
      const queue = (await queueOf(app.url, moderator)) as { target: { commentId: number }; revision: string }[];
      const entry = queue.find(({ target }) => target.commentId === id);
      return {
        args: `input: { commentId: ${id}, action: DISMISS }`,
        current: JSON.stringify(entry?.revision),
        other: '"9.9\\""',
        by: moderator,
      };
    },
  };

  const textOf = (name: string, args: string, ifRevision: string) =>
    `mutation { ${name}(${args}, ifRevision: ${ifRevision}) { id } }`;
  const send = (name: string, { args, by }: Conditional, ifRevision: string) =>
    graphql(app.url, textOf(name, args, ifRevision), {}, by.token);

  it('is an argument of every mutation whose endpoint accepts If-Match, and of no other', async () => {
    const { data } = await graphql(app.url, '{ __type(name: "Mutation") { fields { name args { name } } } }');
    const fields: { name: string; args: { name: string }[] }[] = data.__type.fields;
    const names = fields.filter(({ args }) => args.some(({ name }) => name === 'ifRevision')).map(({ name }) => name);
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const accepting = operations
      .filter((operation) => JSON.stringify(operation).includes('/parameters/If-Match'))
      .map((operation) => (operation as { operationId: string }).operationId);
    expect(names).to.have.members(Object.keys(MUTATIONS));
    expect(accepting).to.have.members(names);
  });

  for (const [name, build] of Object.entries(MUTATIONS)) {
    it(`is the condition of ${name}`, async () => {
      const mutation = await build();
      const rejected = await send(name, mutation, mutation.other);
      expect(rejected.errors?.[0]?.extensions.code).to.equal('PRECONDITION_FAILED');
      const [current, sent] = [mutation.current, mutation.other].map((literal) => String(JSON.parse(literal)));
      expect(rejected.errors?.[0]?.message).to.equal(
        `The current revision is ${current}, ifRevision is ${sent}: read the resource again and repeat your change.`,
      );
      const accepted = await send(name, mutation, mutation.current);
      expect(accepted.errors, JSON.stringify(accepted.errors)).to.equal(undefined);
    });
  }

  it('is rejected together with the header, also if both match', async () => {
    for (const [name, build] of Object.entries(MUTATIONS)) {
      const { args, current, by } = await build();
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${by.token}`,
          'If-Match': '*',
        },
        body: JSON.stringify({ query: textOf(name, args, current) }),
      });
      const { errors } = (await response.json()) as { errors: { extensions: object }[] };
      expect(errors[0]?.extensions, name).to.deep.include({
        code: 'VALIDATION_FAILED',
        errors: [{ field: 'ifRevision', message: 'cannot be combined with the header If-Match' }],
      });
    }
  });

  it('lets one of two concurrent edits through', async () => {
    for (const name of ['updateArticle', 'updateComment', 'updateDraft']) {
      const mutation = await (MUTATIONS[name] as () => Promise<Conditional>)();
      const responses = await Promise.all(
        ['One', 'Two'].map((text) =>
          send(name, { ...mutation, args: mutation.args.replace(/"\w+\.?"(?=[^"]*$)/, `"${text}"`) }, mutation.current),
        ),
      );
      const codes = responses.map(({ errors }) => errors?.[0]?.extensions.code ?? 'saved').sort();
      expect(codes, name).to.deep.equal(['PRECONDITION_FAILED', 'saved']);
    }
  });

  it('is a condition of each of several mutations, and null is none', async () => {
    const [first, second] = [await ofArticle((id) => `id: ${id}`), await ofArticle((id) => `id: ${id}`)];
    const deletion = (alias: string, { args }: Conditional, ifRevision: string) =>
      `${alias}: deleteArticle(${args}, ifRevision: ${ifRevision}) { id }`;
    const text = `mutation { ${deletion('a', first, 'null')} ${deletion('b', second, second.other)} }`;
    const { errors } = await graphql(app.url, text, {}, author.token);
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).to.deep.equal([
      [['b'], 'PRECONDITION_FAILED'],
    ]);
  });

  it('is a positive number', async () => {
    const mutation = await ofArticle((id) => `id: ${id}`);
    const { errors } = await send('deleteArticle', mutation, '0');
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });

  it('of an outdated save without a difference is accepted', async () => {
    const mutation = await ofDraft((id) => `id: ${id}, input: { content: "Low." }`);
    for (let count = 0; count < 2; count++)
      expect((await send('updateDraft', mutation, '1')).errors).to.equal(undefined);
  });
});
