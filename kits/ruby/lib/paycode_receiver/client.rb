# frozen_string_literal: true

require 'bigdecimal'
require 'json'
require 'monitor'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'time'
require 'uri'

module PaycodeReceiver
  # Paycode's answer was no success. Decide by `code` (docs/reference/errors.md), and tell support the `request_id`; both may be empty.
  # retry_after: the seconds that a 429 or 503 asks for. Holds no secrets.
  class ApiError < StandardError
    attr_reader :status, :code, :request_id, :retry_after

    def initialize(message, status:, code: '', request_id: '', retry_after: nil)
      super(message)
      @status = status
      @code = code
      @request_id = request_id
      @retry_after = retry_after
    end
  end

  # Calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md). Threads may share a client.
  class Client
    RENEW_BEFORE_SECONDS = 60
    REPEAT_WAIT_SECONDS_MAX = 5 # a longer wait is the caller's to decide
    PASSING = [429, 502, 503, 504].freeze
    # A connection or an answer that failed on its way.
    LOST = [SystemCallError, IOError, SocketError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError].freeze
    NOTIFICATION = '/portal/restful/merchant/notification'
    # OAEP with SHA-1 and MGF1 with SHA-1.
    OAEP = OpenSSL::PKey::RSA::PKCS1_OAEP_PADDING
    private_constant :RENEW_BEFORE_SECONDS, :REPEAT_WAIT_SECONDS_MAX, :PASSING, :LOST, :NOTIFICATION, :OAEP

    # bearer: the account logs in for a token of 15 minutes; by default the password goes with each request (Basic). private_key: your RSA-4096
    # key, PEM (PKCS#8), with service_key, the service's public key, base64 X.509: the log-in proves both sides' keys. ca_file: PEM of the
    # authority to trust (default: the system's authorities). timeout: seconds that a connection or an answer may stay silent. The proxy comes
    # from https_proxy and no_proxy. logger: hears of requests that are sent again.
    def initialize(url:, identity:, password:, bearer: false, private_key: nil, service_key: nil, ca_file: nil, timeout: 30, logger: nil)
      raise ArgumentError, 'private_key and service_key go together' unless private_key.nil? == service_key.nil?

      @url = url
      @identity = identity
      @password = password
      @is_bearer = bearer || !private_key.nil?
      @private_key = private_key && OpenSSL::PKey::RSA.new(private_key)
      @service_key = service_key && OpenSSL::PKey::RSA.new(service_key.unpack1('m'))
      @ca_file = ca_file
      @timeout = timeout
      @logger = logger
      @lock = Monitor.new
    end

    # Neither password, key nor token.
    def inspect
      "#<PaycodeReceiver::Client #{@url} #{@identity}>"
    end

    # amount: BigDecimal('25.50') or '25.50', never a Float. others: as the API names them, e.g. shortDescription. Gives code, expiryDate and
    # codeUrl. A repeat with the same reference and content gives the same code, so a lost answer is asked for again.
    def create_code(merchant_reference:, amount:, currency_code:, **others)
      raise ArgumentError, 'amount: a Float is not exact, use BigDecimal' if amount.is_a?(Float)

      body = JSON.generate({ merchantReference: merchant_reference, currencyCode: currency_code, **others })
      digits = BigDecimal(amount).to_s('F') # JSON would write a BigDecimal as text
      json(send_request('POST', '/pluto/code/create', "#{body.chop},\"amount\":#{digits.delete_suffix('.0')}}", repeatable: true))
    end

    # How the payment of a code stands; the amount is a BigDecimal.
    def query_ref(code, merchant_reference)
      post('/pluto/code/queryRef', { code: code, merchantReference: merchant_reference })
    end

    # Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it.
    def get_notification(transaction_id)
      PaycodeReceiver.read_notification(send_request('GET', "/pluto/purchase/notification/#{transaction_id}"))
    end

    # One page of what became final since a Time: notifications, and next, the cursor of the next page or nil. query: reference, code,
    # merchantId, cursor, limit. Reading the list acknowledges nothing.
    def notifications(since: nil, **query)
      given = since ? { since: since.utc.iso8601(3), **query } : query
      json(send_request('GET', "/pluto/purchase/notifications?#{URI.encode_www_form(given)}"))
    end

    # Sets the URL of a merchant's notifications; encryptKey in the answer opens them. The URL must answer the probe.
    def add_http(merchant_id, url, version: 'V3')
      post("#{NOTIFICATION}/addHttp", { merchantId: merchant_id, url: url, version: version })
    end

    # A new key each time: after a lost answer look at what arrives before you call again.
    def renew_key(merchant_id)
      post("#{NOTIFICATION}/renewKey", { merchantId: merchant_id }, repeatable: false)
    end

    # Also tells an e-mail address or phone number of payments; gives all entries.
    def extra(merchant_id, type, value)
      post("#{NOTIFICATION}/extra", { merchantId: merchant_id, type: type, value: value })
    end

    def list(merchant_id)
      post("#{NOTIFICATION}/list", { merchantId: merchant_id })
    end

    # Any other operation, body as JSON text or what JSON generates; gives the text of its answer. repeatable: a lost answer is asked for again.
    # Raises ApiError for a status beside 200.
    def send_request(method, path, body = nil, repeatable: method == 'GET')
      call = [method, path, body.nil? || body.is_a?(String) ? body : JSON.generate(body)]
      headers = authorization
      begin
        repeated(call, headers, repeatable)
      rescue ApiError => e
        raise unless @is_bearer && e.status == 401

        # The session has ended elsewhere; another thread may have logged in since.
        @lock.synchronize { @session = nil if @session && headers.value?(@session['headerValue']) }
        repeated(call, authorization, repeatable)
      end
    end

    # For Bearer accounts; the other methods do it by themselves. Raises ApiError before it sends the password, if the service does not prove
    # that it holds its key.
    def log_in
      @lock.synchronize do
        body = { identity: @identity, password: @password, **(@private_key ? proof : {}) }
        @session = json(attempt('POST', '/authentication/login', JSON.generate(body)))
      end
    end

    # Gets a new token for the same session; the old one stops working.
    def renew
      @lock.synchronize do
        return log_in unless @session

        begin
          @session = json(attempt('POST', '/authentication/renew', jwt))
        rescue ApiError => e
          raise unless e.status == 401

          log_in # the token has expired
        end
      end
    end

    def log_out
      @lock.synchronize do
        attempt('POST', '/authentication/logout', jwt) if @session
        @session = nil
      end
    end

    private

    def post(path, body, repeatable: true)
      json(send_request('POST', path, body, repeatable: repeatable))
    end

    # Both challenge fields of the log-in.
    def proof
      secret = SecureRandom.bytes(64)
      client_challenge = [@service_key.public_encrypt(secret, OAEP)].pack('m0')
      query = URI.encode_www_form(identity: @identity, clientChallenge: client_challenge)
      challenge = json(repeated(['GET', "/authentication/login-challenges?#{query}", nil], {}, true))
      is_proved = OpenSSL.secure_compare(challenge['base64EncodedClientChallengeResponse'], sha256(secret))
      raise ApiError.new('the service did not prove that it holds its key', status: 200, code: 'SERVICE_NOT_PROVEN') unless is_proved

      encrypted = challenge['base64EncodedChallenge'].unpack1('m')
      decrypted = @private_key.private_decrypt(encrypted, OAEP)
      { base64EncodedChallengeHash: sha256(encrypted), base64EncodedChallengeResponse: sha256(decrypted) }
    end

    def authorization
      return { 'Authorization' => "Basic #{["#{@identity}:#{@password}"].pack('m0')}" } unless @is_bearer

      session = @lock.synchronize do
        current = @session || log_in
        Time.parse(current['expires']) - Time.now > RENEW_BEFORE_SECONDS ? current : renew
      end
      { session['headerName'] => session['headerValue'] }
    end

    # The body of renew and logout, which take the token without the word Bearer.
    def jwt
      JSON.generate({ jwt: @session['headerValue'].delete_prefix('Bearer ') })
    end

    # A lost answer, 429, 502, 503 and 504 are tried once more.
    def repeated(call, headers, repeatable)
      attempt(*call, headers)
    rescue ApiError, *LOST => e
      wait = (e.retry_after if e.is_a?(ApiError)) || 1
      is_passing = !e.is_a?(ApiError) || PASSING.include?(e.status)
      raise unless repeatable && is_passing && wait <= REPEAT_WAIT_SECONDS_MAX

      @logger&.info { "#{call[0]} #{call[1].split('?').first} is sent again: #{e.message}" }
      sleep wait
      attempt(*call, headers)
    end

    def attempt(method, path, text, headers = {})
      uri = URI(@url + path)
      headers = headers.merge('Content-Type' => 'application/json') if text
      http = Net::HTTP.new(uri.host, uri.port)
      http.use_ssl = uri.scheme == 'https'
      http.ca_file = @ca_file if @ca_file
      http.open_timeout = http.read_timeout = http.write_timeout = @timeout
      http.max_retries = 0 # Net::HTTP would repeat a GET by itself
      response = http.start { http.send_request(method, uri.request_uri, text, headers) }
      raise error_of("#{method} #{uri.path}", response) unless response.code == '200'

      response.body.to_s
    end

    def error_of(what, response)
      body = begin
        JSON.parse(response.body.to_s).to_h
      rescue JSON::ParserError, NoMethodError, TypeError
        {} # something between here and Paycode has answered
      end
      code = body.fetch('code', '')
      request_id = body['requestId'] || response['x-request-id'] || ''
      message = "#{what} answered #{response.code} #{code}: #{body['message']} (requestId #{request_id})"
      ApiError.new(message, status: response.code.to_i, code: code, request_id: request_id, retry_after: response['retry-after']&.to_i)
    end

    def json(text)
      JSON.parse(text, decimal_class: BigDecimal)
    end

    def sha256(bytes)
      [OpenSSL::Digest::SHA256.digest(bytes)].pack('m0')
    end
  end
end
