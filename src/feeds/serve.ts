/** Koa middleware that serves feeds. */
import type { GraphQLSchema } from 'graphql';
import type Koa from 'koa';
import { createContext } from '../context.js';
import { factsOf, type RequestState, requireReadMethod } from '../http/request.js';
import { findFeedStamp } from '../models/feed-stamp.js';
import type { Services } from '../services.js';
import { readFeedAddress } from './address.js';
import { answerCacheable, variantOf } from './answer.js';
import { FEED_ENTRIES, feedReader } from './read.js';

/** @throws Error where the GraphQL document of a feed is not valid for the schema */
export function serveFeeds(schema: GraphQLSchema, services: Services): Koa.Middleware<RequestState> {
  const read = feedReader(schema);
  return async (ctx, next) => {
    const address = readFeedAddress(ctx.path);
    if (!address) return next();
    ctx.state.route = address.route;
    requireReadMethod(ctx);
    const context = await createContext(services, factsOf(ctx, services.config.trustProxy));
    const stamp = await findFeedStamp(services.database, address.scope, FEED_ENTRIES);
    const representation = stamp && { stamp, variant: variantOf(services, address.path) };
    const { contentType, write } = address.format;
    await answerCacheable(ctx, representation, contentType, async () => write(await read(address, context)));
  };
}
