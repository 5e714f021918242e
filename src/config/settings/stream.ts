/** Settings of live notifications (Server-Sent Events and WebSocket). */
import { duration, positive } from '../values.js';
import { group } from './group.js';

export const streamSettings = group('Live notifications', {
  STREAM_LIMIT: positive({
    default: '20',
    desc: 'a whole number from 1',
    about: 'Streams that a member may have open in each process, and WebSocket connections likewise.',
    limit: { area: 'Live connections', error: 'RATE_LIMITED' },
  }),
  STREAM_HEARTBEAT: duration({
    default: '15s',
    desc: 'a duration such as 15s',
    about: 'How often a stream says that it lives: less than what proxies in front let pass in silence.',
  }),
  STREAM_PATIENCE: duration({
    default: '30s',
    desc: 'a duration such as 30s',
    about: 'How long a client may leave unread what was sent to it, before it is disconnected.',
    limit: { area: 'Live connections', error: null },
  }),
});
