/** Articles as Markdown files, over both APIs. */
import { expect } from 'chai';
import matter from 'gray-matter';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { flat } from '../../support/images.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
let author: BuiltMember;
before(async () => {
  author = await buildMember(app.url, { nickname: 'mina: "no"' });
});

async function read(id: number | string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${app.url}/api/articles/${id}/markdown`, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

async function readOverGraphQL(id: number, token?: string): Promise<string> {
  const { data } = await graphql(app.url, 'query ($id: ID!) { article(id: $id) { markdown } }', { id }, token);
  return data.article?.markdown;
}

describe('GET /api/articles/{articleId}/markdown', () => {
  const article = {
    title: '# 봄날: "no" --- 🦉',
    tags: ['sea', '2026'],
    content: '---\n\nOwls **here**.\n',
    slug: 'owls',
  };

  it('responds with the front matter and the content, as GraphQL does', async () => {
    const image = filePart(await flat(40, 30).png().toBuffer());
    const sent = multipart([requestPart({ ...article, articleImgAlt: 'An owl' }), image]);
    const { body } = await expectStatus(
      call(app.url, 'POST /api/articles', { token: author.token, ...sent }),
      201,
      '1',
    );
    const { id, articleImg, createdAt, updatedAt, category } = body?.data ?? {};
    const { status, headers, text } = await read(id);
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/markdown; charset=utf-8']);
    expect(text).to.equal(`---
title: "# 봄날: \\"no\\" --- 🦉"
date: ${createdAt}Z
lastmod: ${updatedAt}Z
slug: "owls"
author: "mina: \\"no\\""
categories:
  - "${category}"
tags:
  - "sea"
  - "2026"
description: "Owls here."
image: "${articleImg}"
draft: false
key: "${matter(text).data.key}"
---
${body?.data.content}`);
    expect(matter(text).content).to.equal(body?.data.content);
    expect(articleImg).to.match(/^http:/);
    expect(await readOverGraphQL(id)).to.equal(text);
  });

  it('has times in UTC, whatever the time zone of the process', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    const { TZ } = process.env;
    process.env.TZ = 'Asia/Seoul';
    try {
      const fields = 'id createdAt markdown';
      const query = `query ($id: ID!) { article(id: $id) { ${fields} } articles(size: 1) { contents { ${fields} } } }`;
      const { data } = await graphql(app.url, query, { id });
      const { createdAt, markdown } = data.article;
      expect(markdown).to.include(`\ndate: ${createdAt}\n`);
      expect(data.articles.contents).to.deep.equal([data.article]);
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  it('reads with one statement, and a list of files with one', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    const [first, ...others] = await statementsDuring(() => read(id));
    expect(first).to.include('content');
    expect(others).to.deep.equal([]);
    const query = '{ articles(size: 2) { contents { title markdown } } }';
    const statements = await statementsDuring(async () => {
      const { data } = await graphql(app.url, query);
      for (const { title, markdown } of data.articles.contents) expect(matter(markdown).data.title).to.equal(title);
    });
    expect(statements).to.have.lengthOf(1);
  });

  it('is sent from the response cache after a statement that reads no content', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    const first = await read(id);
    let second = first;
    const [stamp, ...others] = await statementsDuring(async () => {
      second = await read(id);
    });
    expect(stamp)
      .to.match(/as stamp/)
      .and.not.include('content');
    expect([second.text, others]).to.deep.equal([first.text, []]);
    const json = { title: 'Renamed', content: 'Text' };
    await expectStatus(call(app.url, `PUT /api/articles/${id}`, { token: author.token, json }), 200, '1');
    expect((await read(id)).text).to.include('title: "Renamed"');
  });

  it('is the same in each language, except errors', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    const [english, korean] = [await read(id), await read(id, { 'Accept-Language': 'ko' })];
    expect(korean.headers.get('ETag'))
      .to.equal(english.headers.get('ETag'))
      .and.match(/^W\/"1\./);
    expect(korean.headers.get('Content-Language')).to.equal(null);
    const error = await call(app.url, 'GET /api/articles/999999/markdown', { headers: { 'Accept-Language': 'ko' } });
    expect([error.status, error.body?.code]).to.deep.equal([404, 'ARTICLE_NOT_FOUND']);
    expect(error.headers.get('Content-Language')).to.equal('ko');
    await expectStatus(call(app.url, 'GET /api/articles/x/markdown'), 400, 'VALIDATION_FAILED');
    await expectStatus(call(app.url, `GET /api/articles/${id}/markdown?raw=1`), 400, 'VALIDATION_FAILED');
    await expectStatus(call(app.url, `GET /api/articles/${id}/markdown`, { token: 'bad' }), 401, 'UNAUTHENTICATED');
  });

  it('responds to HEAD with the headers only', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    const [head, full] = [await read(id, {}, 'HEAD'), await read(id)];
    expect([head.status, head.text]).to.deep.equal([200, '']);
    for (const name of ['ETag', 'Last-Modified', 'Content-Type', 'Cache-Control'])
      expect(head.headers.get(name), name).to.equal(full.headers.get(name));
  });

  it('of a private article exists only for its author and tokens that may read it, and is a draft', async () => {
    const { id } = await buildArticle(app.url, { title: 'Diary', visibility: 'PRIVATE' }, author);
    const other = await buildMember(app.url);
    const tokens = [author.token];
    for (const scope of ['read', 'articles'] as const)
      tokens.push((await buildApiToken(app.url, author, [scope])).token);
    for (const token of tokens) {
      const { status, headers, text } = await read(id, { ...bearer(token), 'If-None-Match': '*' });
      expect([status, headers.get('Cache-Control')]).to.deep.equal([200, 'no-store']);
      expect(matter(text).data).to.include({ title: 'Diary', draft: true });
      expect(await readOverGraphQL(id, token)).to.equal(text);
    }
    const strangers = [undefined, other.token, (await buildApiToken(app.url, author, ['comments'])).token];
    for (const token of strangers) {
      const options = token ? { token } : {};
      const found = await call(app.url, `GET /api/articles/${id}/markdown`, options);
      const missing = await call(app.url, 'GET /api/articles/999999/markdown', options);
      expect([found.status, found.body]).to.deep.equal([404, missing.body]);
      expect(await readOverGraphQL(id, token)).to.equal(undefined);
    }
  });
});
