//! What a program asks the proxy for.

use super::hosts::split_port;

/// A host and what is sent there first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) form: Form,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Bytes are carried from now on.
    Connect,
    /// This head is sent in place of the program's.
    Plain(Vec<u8>),
}

/// Reads the head of a request, up to and with the empty line; `None` when it is none that a proxy answers.
pub(super) fn parse(head: &[u8]) -> Option<Request> {
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.strip_suffix("\r\n\r\n")?.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_http = ["HTTP/1.1", "HTTP/1.0"].contains(&version);
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if words.next().is_some() || !is_http || !is_method {
        return None;
    }
    if method == "CONNECT" {
        let (host, port) = split_port(target)?;
        let form = Form::Connect;
        return request(host, port?, form);
    }
    let (authority, path) = split_address(target)?;
    let (host, port) = split_port(authority)?;
    let begin = format!("{method} {path} {version}\r\nHost: {authority}\r\n");
    let form = Form::Plain(plain_head(begin, lines)?);
    request(host, port.unwrap_or(80), form)
}

fn request(host: &str, port: u16, form: Form) -> Option<Request> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
    let is_host = !host.is_empty() && host.bytes().all(is_known);
    is_host.then(|| Request {
        host: host.to_owned(),
        port,
        form,
    })
}

/// `http://host:port/path` without a user, whose name would look like a host.
fn split_address(target: &str) -> Option<(&str, String)> {
    let (scheme, rest) = target.split_at_checked("http://".len())?;
    if !scheme.eq_ignore_ascii_case("http://") || rest.contains('@') && !rest.contains('/') {
        return None;
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let path = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("/{path}"),
    };
    (!authority.contains('@')).then_some((authority, path))
}

/// One request a connection, for exactly the host that was looked at.
fn plain_head<'a>(begin: String, lines: impl Iterator<Item = &'a str>) -> Option<Vec<u8>> {
    let mut head = begin;
    for line in lines {
        let (name, _) = line.split_once(':')?;
        let name = name.to_ascii_lowercase();
        // A line that goes on in the next one can hide another.
        if name.is_empty() || name.contains([' ', '\t', '\r', '\n']) || line.contains(['\r', '\n'])
        {
            return None;
        }
        let is_ours = ["host", "connection", "keep-alive", "upgrade"].contains(&name.as_str());
        if !is_ours && !name.starts_with("proxy-") {
            head.push_str(line);
            head.push_str("\r\n");
        }
    }
    head.push_str("Connection: close\r\n\r\n");
    Some(head.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let connect = parse(b"CONNECT example.com:443 HTTP/1.1\r\nHost: other\r\n\r\n").unwrap();
        assert_eq!((connect.host.as_str(), connect.port), ("example.com", 443));
        assert_eq!(connect.form, Form::Connect);
        let text = "POST http://Example.com:8080?a=b HTTP/1.1\r\nHost: evil\r\nProxy-Authorization: x\r\nContent-Length: 2\r\n\r\n";
        let plain = parse(text.as_bytes()).unwrap();
        assert_eq!((plain.host.as_str(), plain.port), ("Example.com", 8080));
        let sent = "POST /?a=b HTTP/1.1\r\nHost: Example.com:8080\r\nContent-Length: 2\r\nConnection: close\r\n\r\n";
        assert_eq!(plain.form, Form::Plain(sent.as_bytes().to_vec()));
    }

    #[test]
    fn garbage_is_no_request() {
        for text in [
            "",
            "\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET http://a@b/ HTTP/1.1\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\n\r\n",
            "CONNECT a HTTP/1.1\r\n\r\n",
            "CONNECT a:443 HTTP/2\r\n\r\n",
            "CONNECT a:443 HTTP/1.1 x\r\n\r\n",
            "CONNECT a%00b:443 HTTP/1.1\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nX: 1\r\n Host: evil\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nX: 1\nHost: evil\r\n\r\n",
            "get http://a/ HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse(b"\xff\xfe\r\n\r\n"), None);
    }
}
