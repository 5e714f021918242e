/** Passkeys: options for the browser, and what it made of them. JSON, since they need scripts anyway. */
import type { APIRoute } from 'astro';
import { field } from '../lib/format';
import { graphql } from '../lib/graphql';
import { ServiceError } from '../lib/service';

const LOGIN_OPTIONS = graphql(`query LoginOptions { passkeyLoginOptions { challenge rpId timeout userVerification } }`);
const LOGIN = graphql(`mutation PasskeyLogin($credential: PublicKeyCredentialJSON!) {
  passkeyLogin(input: { credential: $credential }) { accessToken refreshToken }
}`);
const OPTIONS = graphql(`query RegistrationOptions {
  passkeyRegistrationOptions {
    attestation challenge timeout authenticatorSelection { requireResidentKey residentKey userVerification }
    excludeCredentials { id transports type } pubKeyCredParams { alg type } rp { id name } user { displayName id name }
  }
}`);
const CREATE = graphql(`mutation CreatePasskey($input: CreatePasskeyInput!) { createPasskey(input: $input) { id } }`);

export const POST: APIRoute = async ({ locals: { service, form } }) => {
  const given = (name: string) => (form ? field(form, name) : '');
  const credential = () => {
    try {
      return JSON.parse(given('credential'));
    } catch {
      throw new ServiceError('BAD_REQUEST');
    }
  };
  switch (given('do')) {
    case 'login-options':
      return Response.json((await service.query(LOGIN_OPTIONS, {})).passkeyLoginOptions);
    case 'login': {
      const { passkeyLogin } = await service.query(LOGIN, { credential: credential() });
      service.session.start(passkeyLogin);
      return Response.json({});
    }
    case 'options':
      return Response.json((await service.query(OPTIONS, {})).passkeyRegistrationOptions);
    case 'create': {
      const input = { name: given('name'), password: given('password') || null, credential: credential() };
      return Response.json((await service.query(CREATE, { input })).createPasskey);
    }
    default:
      throw new ServiceError('ROUTE_NOT_FOUND');
  }
};
