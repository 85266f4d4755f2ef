import { exactFetch } from '../exact.ts';
import { address, key } from '../outcomes.ts';

export interface RequestConfig<Body = unknown> {
  method: string;
  url: string;
  params?: object;
  data?: Body;
  headers?: Record<string, string | undefined>;
}
export interface ResponseConfig<Data = unknown> {
  data: Data;
  status: number;
  headers: Headers;
}
export type ResponseErrorConfig<Fault = unknown> = Fault;
export type Client = <Data, _Fault = unknown, Body = unknown>(
  config: RequestConfig<Body>,
) => Promise<ResponseConfig<Data>>;

/** The function that Kubb's generated code calls. It throws errors, because the generated types do not include them. */
const storeFetch: Client = async ({ method, url, params = {}, data, headers }) => {
  const query = Object.entries(params).filter(([, value]) => value !== undefined);
  const sent = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined);
  const response = await exactFetch(`${address}/v1${url}?${new URLSearchParams(query)}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(data !== undefined && { 'Content-Type': 'application/json' }),
      ...(Object.fromEntries(sent) as Record<string, string>),
    },
    ...(data !== undefined && { body: JSON.stringify(data) }),
  });
  const answer = response.status === 304 ? undefined : await response.json();
  if (response.status >= 400) {
    throw new Error(answer.code, { cause: answer });
  }
  return { data: answer, status: response.status, headers: response.headers };
};

export default storeFetch;
