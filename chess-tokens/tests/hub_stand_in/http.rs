//! As much of HTTP as the stand-in speaks.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Of the first server, not of the second.
    pub(crate) to_hub: bool,
    /// Path and query, as they came.
    pub(crate) target: String,
    /// The same without percent encoding.
    pub(crate) decoded: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header; its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(key, _)| key == name);
        header.map(|(_, value)| &**value)
    }

    pub(crate) fn path(&self) -> &str {
        self.decoded.split('?').next().unwrap()
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.decoded.split_once('?')?;
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

pub(super) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn new(status: u16, body: &[u8]) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_vec(),
        }
    }

    pub(super) fn error(status: u16, said: &str) -> Self {
        let mut answer = Self::new(status, said.as_bytes());
        answer.header("X-Error-Message", said);
        answer
    }

    pub(super) fn header(&mut self, name: &str, value: &str) {
        self.headers.push((name.into(), value.into()));
    }
}

pub(super) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// `None` if nothing is asked.
    pub(super) fn request(&mut self, to_hub: bool) -> io::Result<Option<Request>> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let target = lines[0].strip_prefix("GET ").unwrap();
        let target = target.strip_suffix(" HTTP/1.1").unwrap().to_owned();
        let header = |line: &String| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        Ok(Some(Request {
            to_hub,
            decoded: decode(&target),
            target,
            headers: lines[1..].iter().map(header).collect(),
        }))
    }

    /// Sends an answer, or the first bytes of its body.
    pub(super) fn send(
        &mut self,
        answer: &Answer,
        drop_after: Option<u64>,
        bytes_per_second: u64,
    ) -> io::Result<()> {
        let stream = self.0.get_mut();
        write!(
            stream,
            "HTTP/1.1 {} Said\r\nConnection: close\r\n",
            answer.status
        )?;
        write!(stream, "Content-Length: {}\r\n", answer.body.len())?;
        for (name, value) in &answer.headers {
            write!(stream, "{name}: {value}\r\n")?;
        }
        stream.write_all(b"\r\n")?;
        let sent = drop_after.map_or(answer.body.len(), |bytes| bytes as usize);
        let body = &answer.body[..sent.min(answer.body.len())];
        if bytes_per_second == 0 {
            return stream.write_all(body);
        }
        // A hundredth of a second's worth at a time.
        for piece in body.chunks((bytes_per_second / 100).max(1) as usize) {
            stream.write_all(piece)?;
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(&after[..2], 16).unwrap());
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap()
}
