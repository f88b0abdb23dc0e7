# frozen_string_literal: true

require 'json'
require 'monitor'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'time'
require 'uri'

module PaycodeReceiver
  # The service gave an unexpected answer. The message holds neither the request nor secrets.
  class UnexpectedAnswer < StandardError; end

  # Logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it. Threads may share a client.
  class Client
    TIMEOUT_SECONDS = 30
    RENEW_BEFORE_SECONDS = 60
    # OAEP with SHA-1 and MGF1 with SHA-1.
    OAEP = OpenSSL::PKey::RSA::PKCS1_OAEP_PADDING
    private_constant :TIMEOUT_SECONDS, :RENEW_BEFORE_SECONDS, :OAEP

    # private_key: your RSA-4096 key, PEM (PKCS#8). service_key: the service's public key, base64 X.509. ca_file: PEM of the authority to trust
    # (default: the system's authorities).
    def initialize(url:, identity:, password:, private_key:, service_key:, ca_file: nil)
      @url = url
      @identity = identity
      @password = password
      @private_key = OpenSSL::PKey::RSA.new(private_key)
      @service_key = OpenSSL::PKey::RSA.new(service_key.unpack1('m'))
      @ca_file = ca_file
      @lock = Monitor.new
    end

    # Neither password, key nor token.
    def inspect
      "#<PaycodeReceiver::Client #{@url} #{@identity}>"
    end

    # Raises UnexpectedAnswer before it sends the password, if the service does not prove that it holds its key.
    def log_in
      secret = SecureRandom.bytes(64)
      client_challenge = [@service_key.public_encrypt(secret, OAEP)].pack('m0')
      query = URI.encode_www_form(identity: @identity, clientChallenge: client_challenge)
      challenge = expect('GET', "/authentication/login-challenges?#{query}")
      is_proved = OpenSSL.secure_compare(challenge['base64EncodedClientChallengeResponse'], sha256(secret))
      raise UnexpectedAnswer, 'the service did not prove that it holds its key' unless is_proved

      encrypted = challenge['base64EncodedChallenge'].unpack1('m')
      decrypted = @private_key.private_decrypt(encrypted, OAEP)
      @session = expect('POST', '/authentication/login', {
        identity: @identity, password: @password, base64EncodedChallengeHash: sha256(encrypted),
        base64EncodedChallengeResponse: sha256(decrypted)
      })
    end

    # Gets a new token for the same session; the old one stops working.
    def renew
      @lock.synchronize do
        return log_in unless @session

        status, text = call('POST', '/authentication/renew', jwt)
        # 401: the token has expired, so log in again.
        status == 401 ? log_in : (@session = parsed('/authentication/renew', status, text))
      end
    end

    def log_out
      @lock.synchronize do
        expect('POST', '/authentication/logout', jwt) if @session
        @session = nil
      end
    end

    # A request in the session: logs in first, and renews a token that ends within a minute. Gives status and text.
    def send_request(method, path, body = nil)
      session = @lock.synchronize do
        current = @session || log_in
        Time.parse(current['expires']) - Time.now > RENEW_BEFORE_SECONDS ? current : renew
      end
      call(method, path, body, { session['headerName'] => session['headerValue'] })
    end

    # Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it.
    def notification(transaction_id)
      status, text = send_request('GET', "/pluto/purchase/notification/#{transaction_id}")
      raise UnexpectedAnswer, "getNotification answered #{status}" unless status == 200

      PaycodeReceiver.read_notification(text)
    end

    private

    # The body of renew and logout, which take the token without the word Bearer.
    def jwt
      { jwt: @session['headerValue'].delete_prefix('Bearer ') }
    end

    def expect(method, path, body = nil)
      parsed(path, *call(method, path, body))
    end

    def parsed(path, status, text)
      raise UnexpectedAnswer, "#{path.split('?').first} answered #{status}" unless status == 200

      JSON.parse(text)
    end

    def call(method, path, body = nil, headers = {})
      uri = URI(@url + path)
      headers = headers.merge('Content-Type' => 'application/json') if body
      http = Net::HTTP.new(uri.host, uri.port)
      http.use_ssl = true
      http.ca_file = @ca_file if @ca_file
      http.open_timeout = http.read_timeout = http.write_timeout = TIMEOUT_SECONDS
      response = http.start { http.send_request(method, uri.request_uri, body && JSON.generate(body), headers) }
      [response.code.to_i, response.body.to_s]
    end

    def sha256(bytes)
      [OpenSSL::Digest::SHA256.digest(bytes)].pack('m0')
    end
  end
end
