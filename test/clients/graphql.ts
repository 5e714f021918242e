/** A GraphQL client whose types come from schema.graphql alone. Arguments: the address of the service, an email, a password, an article. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { CommentsDocument, LogInDocument, WriteDocument } from './generated/graphql.js';

declare const process: { argv: string[] };
const [, , url = '', email = '', password = '', articleId = ''] = process.argv;

async function run<Result, Variables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
  token?: string,
): Promise<Result> {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const body = JSON.stringify({ query: print(document), variables });
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  const { data, errors } = (await response.json()) as { data?: Result; errors?: { message: string }[] };
  if (!data) throw new Error(errors?.[0]?.message);
  return data;
}

const { login } = await run(LogInDocument, { email, password });
const { createArticle } = await run(
  WriteDocument,
  { input: { title: 'Typed', content: 'By a client made of a schema.', tags: ['types'] } },
  login.accessToken,
);
const { comments } = await run(CommentsDocument, { articleId });
const year: number = new Date(createArticle.createdAt).getFullYear();

const [first] = comments?.contents ?? [];
console.log(JSON.stringify({ tags: createArticle.tags, year, said: first?.content, by: first?.author?.nickname }));
