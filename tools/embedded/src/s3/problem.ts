/** S3's error codes with their status; https. */
const PROBLEMS = {
  AccessDenied: [403, 'Access denied.'],
  AuthorizationHeaderMalformed: [
    400,
    'The authorization is not one of AWS4-HMAC-SHA256 for this service and region.',
  ],
  BadDigest: [400, 'A checksum that came with the body is not that of the body.'],
  EntityTooLarge: [400, 'The body is larger than this server takes.'],
  IncompleteBody: [400, 'The body is not as long as was announced.'],
  InternalError: [500, 'The server failed; its log says why.'],
  InvalidAccessKeyId: [403, 'There is no such access key.'],
  InvalidArgument: [400, 'An argument is out of its range.'],
  InvalidBucketName: [400, 'A bucket has 3 to 63 lower-case letters, digits, dots and hyphens.'],
  InvalidRange: [416, 'The range lies outside the object.'],
  InvalidRequest: [400, 'The request is incomplete.'],
  InvalidURI: [400, 'The path is not valid percent-encoded UTF-8.'],
  KeyTooLongError: [400, 'A key has at most 1024 bytes.'],
  MalformedXML: [400, 'The XML is not what this operation takes.'],
  MethodNotAllowed: [405, 'There is no such operation here.'],
  NoSuchBucket: [404, 'There is no such bucket.'],
  NoSuchKey: [404, 'There is no such object.'],
  NotImplemented: [501, 'This small server does not have that operation.'],
  PreconditionFailed: [412, 'A condition of the request does not hold.'],
  RequestTimeTooSkewed: [403, 'The time of the request is more than 15 minutes off.'],
  SignatureDoesNotMatch: [403, 'The signature is not that of this request and key.'],
  XAmzContentSHA256Mismatch: [400, 'x-amz-content-sha256 is not that of the body.'],
} as const satisfies Record<string, readonly [number, string]>

export type ProblemCode = keyof typeof PROBLEMS
/** An expected failure: a value, turned into S3's XML at the end. */
export type Problem = { problem: ProblemCode; detail?: string }

/** Whether a step failed. */
export function isProblem(value: object): value is Problem {
  return 'problem' in value
}

/** Status and XML of a problem. */
export function describe({ problem, detail }: Problem): { status: number; xml: string } {
  const [status, sentence] = PROBLEMS[problem]
  return { status, xml: document('Error', element('Code', problem) + element('Message', detail ?? sentence)) }
}

/** A complete XML response in S3's namespace; `content` is XML already. */
export function document(root: string, content: string): string {
  const namespace = root === 'Error' ? '' : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace}>${content}</${root}>`
}

/** One element around plain text. */
export function element(name: string, text: string | number | boolean): string {
  return `<${name}>${Bun.escapeHTML(`${text}`)}</${name}>`
}
