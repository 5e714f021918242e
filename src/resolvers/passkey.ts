/** Passkeys: login, registration and administration. */
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import {
  createPasskey,
  deletePasskey,
  logInWithPasskey,
  renamePasskey,
  requirePasskeyQuota,
} from '../commands/passkey.js';
import type { Context } from '../context.js';
import {
  ASSIGN_USER_HANDLE,
  MAX_PASSKEYS,
  MEMBER_PASSKEYS,
  PASSKEY_USER,
  type PasskeyRow,
} from '../models/member/passkey.js';
import { networkOf } from '../platform/http/client-address.js';
import { AuthorizedMutation, AuthorizedQuery, TokenIgnored, Tokens, WhileSuspended } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import {
  CreatePasskeyInput,
  DeletePasskeyArgs,
  PasskeyLoginInput,
  PasskeyLoginOptions,
  PasskeyRegistrationOptions,
  PasskeyType,
  RenamePasskeyArgs,
} from '../schema/passkey.js';
import { MaxItems } from '../schema/response-limits.js';
import { Unstamped } from '../schema/stamped.js';
import { requireCanProve, requireProof } from '../services/auth/login.js';
import { loginOptions, registrationOptions } from '../services/auth/passkeys/options.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../services/auth/passkeys/verify.js';
import { viewerOf } from '../services/auth/policy.js';
import type { TokenPair } from '../services/auth/session.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class PasskeyResolver {
  @TokenIgnored()
  @Unstamped('Each response contains a new challenge.')
  @Query(() => PasskeyLoginOptions, { nullable: true, description: 'Starts a login with a passkey.' })
  async passkeyLoginOptions(@Ctx() context: Context): Promise<PasskeyLoginOptions> {
    await countOptions(context);
    return loginOptions(context);
  }

  @IdempotencyKey('ignored: secret')
  @TokenIgnored()
  @Mutation(() => Tokens, { description: 'Logs in with a passkey; creates a session.' })
  passkeyLogin(
    @Arg('input', () => PasskeyLoginInput, { description: 'The response of the authenticator.' })
    { credential }: PasskeyLoginInput,
    @Ctx() context: Context,
  ): Promise<TokenPair> {
    return logInWithPasskey(context, credential as AuthenticationResponseJSON);
  }

  @MaxItems(MAX_PASSKEYS)
  @AuthorizedQuery(() => [PasskeyType], { description: 'Your passkeys, oldest first.' })
  async passkeys(@Ctx() context: Context): Promise<PasskeyType[]> {
    const rows = await context.database.query(MEMBER_PASSKEYS, [viewerOf(context).memberId]);
    return rows.map(toPasskey);
  }

  @AuthorizedQuery(() => PasskeyRegistrationOptions, {
    description:
      'Starts the registration of a passkey. An account without a password requires a login within the last 10 minutes.',
  })
  async passkeyRegistrationOptions(@Ctx() context: Context): Promise<PasskeyRegistrationOptions> {
    const viewer = viewerOf(context);
    const { memberId } = viewer;
    await countOptions(context);
    await requireCanProve(context, viewer);
    const [[existing], passkeys] = await Promise.all([
      context.database.query(PASSKEY_USER, [memberId]),
      context.database.query(MEMBER_PASSKEYS, [memberId]),
    ]);
    requirePasskeyQuota(passkeys.length);
    const [user = existing] = existing ? [] : await context.database.query(ASSIGN_USER_HANDLE, [memberId]);
    return registrationOptions(context, viewer, requireRow(user, 'UNAUTHENTICATED'), passkeys);
  }

  @AuthorizedMutation(() => PasskeyType, { description: `Registers a passkey: at most ${MAX_PASSKEYS} per member.` })
  async createPasskey(
    @Arg('input', () => CreatePasskeyInput, {
      description: 'The response of the authenticator, and re-authentication.',
    })
    { name, credential, password }: CreatePasskeyInput,
    @Ctx() context: Context,
  ): Promise<PasskeyType> {
    const viewer = viewerOf(context);
    const passwordHash = await requireProof(context, viewer, password);
    const passkey = { name, credential: credential as RegistrationResponseJSON };
    return toPasskey(await createPasskey(context, viewer, passkey, passwordHash));
  }

  @AuthorizedMutation(() => PasskeyType, { description: 'Renames one of your passkeys.' })
  async renamePasskey(
    @Args(() => RenamePasskeyArgs) { id, name }: RenamePasskeyArgs,
    @Ctx() context: Context,
  ): Promise<PasskeyType> {
    const { memberId } = viewerOf(context);
    return toPasskey(await renamePasskey(context, memberId, parseId(id, 'PASSKEY_NOT_FOUND'), name));
  }

  @WhileSuspended()
  @AuthorizedMutation(() => PasskeyType, {
    description: 'Removes one of your passkeys; another login method must remain.',
  })
  async deletePasskey(
    @Args(() => DeletePasskeyArgs) { id, password }: DeletePasskeyArgs,
    @Ctx() context: Context,
  ): Promise<PasskeyType> {
    const viewer = viewerOf(context);
    const passkeyId = parseId(id, 'PASSKEY_NOT_FOUND');
    const passwordHash = await requireProof(context, viewer, password);
    return toPasskey(await deletePasskey(context, viewer, passkeyId, passwordHash));
  }
}

/** @throws AppError RATE_LIMITED */
async function countOptions({ limits, database, client }: Context): Promise<void> {
  assertNotRateLimited(await limits.passkeyOptions.count(database, networkOf(client.address)), 'options for passkeys');
}

function toPasskey({ credentialId, isBackedUp, ...row }: PasskeyRow): PasskeyType {
  return { ...row, credentialId: credentialId.toString('base64url'), backedUp: isBackedUp };
}
