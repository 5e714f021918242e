/** The small forms. Scripts get the result; without them, the browser goes back to the page, which shows it. */
import type { APIRoute } from 'astro';
import { ACTIONS } from '../lib/actions';
import { field, ownPath } from '../lib/format';
import { ServiceError } from '../lib/service';

export const POST: APIRoute = async ({ locals: { service, form, wantsJson, t }, redirect }) => {
  const name = form ? field(form, 'do') : '';
  const action = Object.hasOwn(ACTIONS, name) && ACTIONS[name];
  if (!form || !action) throw new ServiceError('ROUTE_NOT_FOUND');
  const { notice, to, ...result } = await action(service, form);
  if (wantsJson) return Response.json({ ...result, to, notice: t[notice as 'reported'] });
  return redirect(typeof to === 'string' ? to : ownPath(field(form, 'back')), 303);
};
