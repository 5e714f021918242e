/** A REST client whose types come from openapi.json alone. Arguments: the address of the service, an email, a password. */
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi.js';

declare const process: { argv: string[] };
const [, , baseUrl = '', email = '', password = ''] = process.argv;
const client = createClient<paths>({ baseUrl });

const registered = await client.POST('/api/auth/register', {
  body: { email: `typed-${email}`, password, memberName: 'Typed' },
});
if (!registered.data) throw new Error(registered.error.code);
// 201; without 'id' it is 202, which the configuration of the service determines.
const isMember: boolean = 'id' in registered.data.data && registered.data.data.id > 0;

const login = await client.POST('/api/auth/login', { body: { email, password } });
if (!login.data) throw new Error(login.error.code);
const headers = { Authorization: `Bearer ${login.data.data.accessToken}` };

const written = await client.POST('/api/articles', {
  headers,
  body: { title: 'Typed', content: 'By a client made of a document.', tags: ['types'] },
});
// The part with the fields is required where a field is: the call is not executed.
type ArticleParts = NonNullable<paths['/api/articles']['post']['requestBody']>['content']['multipart/form-data'];
// @ts-expect-error: without the part `request`
const parts: ArticleParts = {};
void parts;

if (!written.data) throw new Error(written.error.code);
const article = written.data.data;
const articleId: number = article.id;

const spoken = await client.POST('/api/articles/{articleId}/comments', {
  params: { path: { articleId } },
  headers,
  body: { content: 'Well typed.' },
});
if (!spoken.data) throw new Error(spoken.error.code);

const comments = await client.GET('/api/articles/{articleId}/comments', {
  params: { path: { articleId }, query: { page: 1, size: 5 } },
});
if (!comments.data) throw new Error(comments.error.code);

const missing = await client.GET('/api/articles/{articleId}', { params: { path: { articleId: 999_999_999 } } });
const code: 'VALIDATION_FAILED' | 'ARTICLE_NOT_FOUND' | string | undefined = missing.error?.code;

const [comment] = comments.data.data.contents;
console.log(JSON.stringify({ articleId, tags: article.tags, isMember, said: comment?.content, code }));
