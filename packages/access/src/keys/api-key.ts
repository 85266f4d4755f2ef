import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * The store's prefix, 43 base-62 digits of 256 random bits, and 6 base-62 digits of their CRC-32. By prefix and checksum, secret
 * scanners find a leaked key without false positives, and a mistyped one is rejected without a lookup.
 */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const FORMAT = new RegExp(`^([0-9A-Za-z]{${SECRET_DIGITS}})([0-9A-Za-z]{${CHECKSUM_DIGITS}})$`);
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new key: the prefix and 49 letters and digits. */
export function generateApiKey(prefix: string): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_DIGITS);
  return prefix + secret + checksum(secret);
}

/** Whether a text has the form of a key, its checksum included. */
export function isApiKey(text: string, prefix: string): boolean {
  const [, secret, sum] = (text.startsWith(prefix) && FORMAT.exec(text.slice(prefix.length))) || [];
  return secret !== undefined && sum === checksum(secret);
}

/**
 * The SHA-256 of a key, by which it is stored and looked up. 256 random bits need no salt or slow hash; and as only hashes
 * are compared, the time of a comparison reveals nothing of the key.
 */
export function hashApiKey(key: string): Buffer<ArrayBuffer> {
  return Buffer.from(hash('sha256', key, 'buffer'));
}

function checksum(secret: string): string {
  return base62(BigInt(crc32(secret)), CHECKSUM_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) {
    text = BASE_62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
