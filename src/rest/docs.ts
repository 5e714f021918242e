/** The REST reference: the OpenAPI document, and pages that show it without loading anything from elsewhere. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type Koa from 'koa';
import { getAbsoluteFSPath } from 'swagger-ui-dist';
import { type RequestState, requireReading } from '../request.js';
import type { Json } from './openapi.js';

export const DOCS_PATH = '/docs';
export const OPENAPI_PATH = '/openapi.json';

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Daybook: the REST reference</title>
<link rel="icon" href="${DOCS_PATH}/favicon-32x32.png">
<link rel="stylesheet" href="${DOCS_PATH}/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="${DOCS_PATH}/swagger-ui-bundle.js"></script>
<script src="${DOCS_PATH}/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: '${OPENAPI_PATH}', dom_id: '#reference', deepLinking: true, persistAuthorization: true });\n`;

/** Swagger UI styles its elements inline and has small pictures as data. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

export function serveDocs(document: Json): Koa.Middleware<RequestState> {
  const text = JSON.stringify(document);
  return async (ctx, next) => {
    if (ctx.path === OPENAPI_PATH) return send(ctx, 'application/json', text);
    if (ctx.path === DOCS_PATH) {
      ctx.set('Content-Security-Policy', POLICY);
      return send(ctx, 'text/html; charset=utf-8', PAGE);
    }
    if (ctx.path === `${DOCS_PATH}/start.js`) return send(ctx, 'text/javascript; charset=utf-8', START);
    const name = ctx.path.startsWith(`${DOCS_PATH}/`) ? ctx.path.slice(DOCS_PATH.length + 1) : '';
    if (!Object.hasOwn(ASSETS, name)) return next();
    // Before the file is opened.
    requireReading(ctx);
    return send(ctx, ASSETS[name] ?? '', createReadStream(join(getAbsoluteFSPath(), name)));
  };
}

function send(ctx: Koa.ParameterizedContext<RequestState>, type: string, body: unknown): void {
  ctx.state.route = ctx.path;
  requireReading(ctx);
  ctx.type = type;
  ctx.body = body;
}
